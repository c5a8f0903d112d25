#include "api/rest/job_request.h"

#include "api/operations/json_value.h"
#include "api/rest/rollout_json.h"
#include "core/jobs/job_function.h"
#include "core/jobs/window_rules.h"
#include "core/model/chain.h"
#include "core/targeting/salt_target.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

std::unexpected<error> wrong(std::string_view name, const error& why) {
    return fail(errc::invalid, fmt::format("`{}`: {}", name, why.detail()));
}

result<api::value> take_arguments(json_body& body) {
    const auto* const given = body.optional_value("arguments");
    if (given == nullptr) return api::value(api::value::record());
    if (!given->holds<api::value::record>())
        return fail(errc::invalid, "`arguments` must be an object");
    return *given;
}

result<job_spec::window_rule> take_windows(json_body& body, const job_request& work) {
    TRY(const auto text, body.optional_text("windows"));
    if (!text)
        return jobs::default_window_rule(jobs::changes_system(work.spec.function, work.arguments));
    if (const auto rule = parse_window_rule(*text)) return *rule;
    return fail(errc::invalid, "`windows` must be respect, start, ignore or override");
}

// When it may run, and for how long.
result<void> take_times(json_body& body, wall_time now, job_request& into) {
    auto& spec = into.spec;
    TRY(const auto at, body.optional_text("at"));
    if (at) {
        TRY(spec.not_before, parse_moment(*at, now));
    }
    CHECK_OK(read_span(body, "expires_after", spec.expires_after));
    CHECK_OK(read_span(body, "timeout", spec.timeout));
    TRY(spec.windows, take_windows(body, into));
    return {};
}

// Either one function with its arguments, or the steps of a chain.
result<void> take_work(json_body& body, job_request& into) {
    const auto* const steps = body.optional_value("steps");
    if (steps == nullptr) {
        TRY(into.spec.function, body.text("function"));
        TRY(into.arguments, take_arguments(body));
        return {};
    }
    TRY(const auto function, body.optional_text("function"));
    if (function || body.optional_value("arguments") != nullptr)
        return fail(errc::invalid, "`steps` cannot be combined with `function` or `arguments`");
    into.spec.function = chain_function;
    into.arguments = api::value::record{{"steps", *steps}};
    return {};
}

result<void> take_spec(json_body& body, wall_time now, job_request& into) {
    CHECK_OK(take_work(body, into));
    auto& spec = into.spec;
    spec.arguments = json::serialize(to_json(into.arguments));
    spec.timeout = jobs::default_timeout(spec.function, into.arguments);
    TRY(const auto note, body.optional_text("note"));
    spec.note = note.value_or("");
    CHECK_OK(take_times(body, now, into));
    TRY(spec.may_run_again, body.flag("may_run_again"));
    TRY(const auto parents, body.optional_list("parents"));
    for (const auto& item : parents.value_or(std::vector<std::string>())) {
        TRY(const auto parent, parse_job_id(item));
        spec.parents.push_back(parent);
    }
    return read_rollout(body, spec.rollout);
}

// A target of one of Salt's types is turned into our language.
result<void> take_target_type(json_body& body, job_request& job_request) {
    TRY(const auto type, body.optional_text("target_type"));
    if (type && !job_request.query) return fail(errc::invalid, "`target_type` requires `query`");
    if (type) {
        auto ours = targeting::expression_of({.type = *type, .expression = *job_request.query});
        if (!ours) return wrong("target_type", ours.error());
        job_request.query = *std::move(ours);
    }
    if (!job_request.query) return {};
    const auto existing = targeting::refuse_pillar(*job_request.query);
    if (!existing) return wrong("query", existing.error());
    return {};
}

// Decimal digits at fixed places, separators in between.
std::optional<std::array<int, 6>> fields_of(std::string_view text) {
    constexpr std::string_view full = "0000-00-00T00:00:00Z";
    constexpr std::string_view brief = "0000-00-00T00:00Z";
    const auto shape = text.size() == full.size() ? full : brief;
    if (text.size() != shape.size()) return std::nullopt;
    std::array<int, 6> fields{};
    std::size_t at = 0;
    for (std::size_t n = 0; n < shape.size(); ++n) {
        const bool digit = text[n] >= '0' && text[n] <= '9';
        if (shape[n] == '0' ? !digit : text[n] != shape[n]) return std::nullopt;
        if (shape[n] != '0') ++at;
        if (digit) fields.at(at) = fields.at(at) * 10 + (text[n] - '0');
    }
    return fields;
}

}  // namespace

result<wall_time> parse_moment(std::string_view text, wall_time now) {
    if (text.starts_with('+')) {
        const auto span = runtime::parse_duration(text.substr(1));
        if (!span) return wrong("at", span.error());
        if (*span > std::chrono::hours(24 * 366))
            return fail(errc::invalid, "`at` is more than a year from now");
        return now + std::chrono::floor<std::chrono::microseconds>(*span);
    }
    const auto fields = fields_of(text);
    const auto bad = fail(
        errc::invalid, "`at` must be a time such as 2026-11-16T22:00:00Z or a delay such as +2h");
    if (!fields) return bad;
    const auto [year, month, day, hour, minute, second] = *fields;
    const std::chrono::year_month_day date{
        std::chrono::year(year),
        std::chrono::month(static_cast<unsigned>(month)),
        std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || hour > 23 || minute > 59 || second > 59) return bad;
    return wall_time(std::chrono::sys_days(date)) + std::chrono::hours(hour)
           + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

std::vector<api::parameter> job_parameters() {
    using namespace api;
    constexpr std::int64_t query_bytes_max = 32 * std::int64_t{1024};
    auto all = rollout_parameters();
    const std::vector<parameter> own{
        optional_in_body(
            "query", text(query_bytes_max).with_about("query that selects the systems")),
        optional_in_body(
            "systems",
            list_of(name()).with_about("instead of `query`: numbers, fingerprints or names")),
        optional_in_body(
            "target_type",
            name().with_about("Salt target type of `query` (default: Muster query)")),
        optional_in_body(
            "function", name().with_about("function to run, such as cmd.run or test.ping")),
        optional_in_body("arguments", map_of(anything())),
        optional_in_body(
            "steps", list_of(anything()).with_about("instead of `function`: steps of a chain")),
        optional_in_body("note", text()),
        optional_in_body(
            "at",
            name().with_about(
                "earliest start: time such as 2026-11-16T22:00:00Z, or delay such as +2h")),
        optional_in_body(
            "expires_after",
            text().with_about("time after `at` when queued tasks expire (default 24h)")),
        optional_in_body("timeout", text().with_about("timeout of one attempt, such as 90s")),
        optional_in_body(
            "windows",
            text()
                .with_choices({"respect", "start", "ignore", "override"})
                .with_about(
                    "maintenance window rule (default respect; ignore for read-only functions)")),
        optional_in_body("may_run_again", flag()),
        optional_in_body("parents", list_of(name()).with_about("jobs that must succeed first")),
        optional_in_body("allow_empty", flag())};
    all.insert(all.begin(), own.begin(), own.end());
    return all;
}

result<job_request> read_job_request(json_body& body, wall_time now) {
    job_request request;
    TRY(request.query, body.optional_text("query"));
    TRY(auto systems, body.optional_list("systems"));
    if (request.query.has_value() == systems.has_value())
        return fail(errc::invalid, "exactly one of `query` and `systems` is required");
    if (systems) request.systems = *std::move(systems);
    CHECK_OK(take_target_type(body, request));
    CHECK_OK(take_spec(body, now, request));
    TRY(request.allow_empty, body.flag("allow_empty"));
    CHECK_OK(body.finish());
    return request;
}

}  // namespace muster::api
