#include "roles/jobs/job_row.h"

#include "core/table/row_reader.h"
#include "roles/cluster/json_members.h"
#include "roles/cluster/ledger_schema.h"

#include <boost/json.hpp>

#include <chrono>
#include <limits>
#include <utility>

namespace muster::jobs {
namespace {

namespace json = boost::json;
using cluster::json_members;
using cluster::stored_time;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

std::string_view to_string(job_spec::window_rule rule) {
    switch (rule) {
        case job_spec::window_rule::ignore:
            return "ignore";
        case job_spec::window_rule::respect:
            return "respect";
        case job_spec::window_rule::override:
            return "override";
    }
    return "";
}

std::optional<job_spec::window_rule> parse_window_rule(std::string_view text) {
    using enum job_spec::window_rule;
    for (const auto each : {ignore, respect, override})
        if (to_string(each) == text) return each;
    return std::nullopt;
}

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

std::int64_t stored_span(monotonic::duration span) {
    return duration_cast<milliseconds>(span).count();
}

// An empty text stands for an amount that was not given.
std::string stored_amount(const std::optional<amount>& what) {
    return what ? to_string(*what) : std::string();
}

std::optional<amount> take_amount(json_members& in, std::string_view name) {
    const auto text = in.text(name);
    if (text.empty()) return std::nullopt;
    const auto read = parse_amount(text);
    if (!read) {
        in.mark_wrong(name);
        return std::nullopt;
    }
    return *read;
}

monotonic::duration take_span(json_members& in, std::string_view name) {
    constexpr std::int64_t most = duration_cast<milliseconds>(std::chrono::hours(24 * 366)).count();
    const auto read = in.integer(name);
    if (read < 0 || read > most) in.mark_wrong(name);
    return milliseconds(read);
}

std::int64_t take_within(
    json_members& in, std::string_view name, std::int64_t least, std::int64_t most) {
    const auto read = in.integer(name);
    if (read < least || read > most) in.mark_wrong(name);
    return read;
}

rollout_options take_rollout(json_members& in) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    rollout_options read;
    read.batch = take_amount(in, "batch");
    read.batch_wait = take_span(in, "batch_wait_ms");
    const auto milli = take_within(in, "rate_milli", 0, most);
    if (milli > 0) read.rate = static_cast<double>(milli) / 1000;
    read.canary = take_amount(in, "canary");
    if (in.has("canary_wait_ms")) read.canary_wait = take_span(in, "canary_wait_ms");
    read.max_failures = take_amount(in, "max_failures");
    read.retries = static_cast<std::uint32_t>(take_within(in, "retries", 0, most));
    read.retry_wait = take_span(in, "retry_wait_ms");
    read.on_return = in.boolean("on_return");
    read.priority = static_cast<std::int32_t>(take_within(in, "priority", -1000, 1000));
    read.weight = static_cast<std::uint32_t>(take_within(in, "weight", 1, most));
    return read;
}

void put_rollout(json::object& to, const rollout_options& how) {
    to["batch"] = stored_amount(how.batch);
    to["batch_wait_ms"] = stored_span(how.batch_wait);
    to["rate_milli"] = static_cast<std::int64_t>(how.rate.value_or(0) * 1000);
    to["canary"] = stored_amount(how.canary);
    to["canary_wait_ms"] = stored_span(how.canary_wait);
    to["max_failures"] = stored_amount(how.max_failures);
    to["retries"] = how.retries;
    to["retry_wait_ms"] = stored_span(how.retry_wait);
    to["on_return"] = how.on_return;
    to["priority"] = how.priority;
    to["weight"] = how.weight;
}

}  // namespace

std::string encode_spec(const job_spec& spec) {
    json::array parents;
    for (const auto each : spec.parents) parents.emplace_back(to_string(each));
    json::object all{
        {"function", spec.function},
        {"arguments", spec.arguments},
        {"query", spec.query},
        {"by", spec.by},
        {"note", spec.note},
        {"not_before", spec.not_before ? stored_time(*spec.not_before) : 0},
        {"expires_after_ms", stored_span(spec.expires_after)},
        {"timeout_ms", stored_span(spec.timeout)},
        {"may_run_again", spec.may_run_again},
        {"windows", view(to_string(spec.windows))},
        {"parents", std::move(parents)}};
    put_rollout(all, spec.rollout);
    return json::serialize(all);
}

result<job_spec> decode_spec(std::string_view text) {
    TRY(auto in, json_members::of("job", text));
    job_spec read;
    read.function = in.text("function");
    read.arguments = in.text("arguments");
    read.query = in.text("query");
    read.by = in.text("by");
    read.note = in.text("note");
    const auto not_before = in.time("not_before");
    if (not_before != wall_time()) read.not_before = not_before;
    read.expires_after = take_span(in, "expires_after_ms");
    read.timeout = take_span(in, "timeout_ms");
    read.may_run_again = in.boolean("may_run_again");
    const auto windows = parse_window_rule(in.text("windows"));
    if (!windows) in.mark_wrong("windows");
    read.windows = windows.value_or(job_spec::window_rule::respect);
    for (const auto& each : in.list("parents")) {
        const auto parent = parse_job_id(each);
        if (!parent) in.mark_wrong("parents");
        if (parent) read.parents.push_back(*parent);
    }
    read.rollout = take_rollout(in);
    return in.finish(std::move(read));
}

table::row encode_job(const job_record& record, const std::string& counts) {
    return {
        made_at(record.job),
        encode_spec(record.spec),
        std::string(to_string(record.stage)),
        std::string(to_string(record.phase)),
        record.kill_running,
        record.reason,
        static_cast<std::int64_t>(record.targets),
        counts.empty() ? table::value(table::null()) : table::value(counts),
        record.version,
        record.changed};
}

result<stored_job> decode_job(const table::row& cells) {
    table::row_reader in(cluster::jobs_table, cells);
    job_record record;
    record.job = job_made_at(in.take<wall_time>("job"));
    TRY(record.spec, decode_spec(in.take<std::string>("spec")));
    const auto stage = parse_job_stage(in.take<std::string>("stage"));
    if (!stage) in.mark_wrong("stage");
    record.stage = stage.value_or(job_stage::paused);
    const auto phase = parse_job_phase(in.take<std::string>("phase"));
    if (!phase) in.mark_wrong("phase");
    record.phase = phase.value_or(job_phase::nobody);
    record.kill_running = in.take<bool>("kill_running");
    record.reason = in.take<std::string>("reason");
    record.targets = static_cast<std::uint64_t>(
        in.take_from("targets", 0, std::numeric_limits<std::uint32_t>::max()));
    const auto counts = in.take_optional<std::string>("counts");
    record.version = in.take_from("version", 1, std::numeric_limits<std::int64_t>::max());
    record.changed = in.take<wall_time>("changed");
    const auto sequence = in.take<std::int64_t>("sequence");
    CHECK_OK(in.finish());
    return stored_job{
        .record = std::move(record), .counts = counts.value_or(""), .sequence = sequence};
}

table::row encode_audience(job_id job, const job_audience& who) {
    return {
        made_at(job), table::blob{who.targets.serialise()}, table::blob{who.canaries.serialise()}};
}

result<job_audience> decode_audience(const table::row& cells) {
    table::row_reader in(cluster::job_targets_table, cells);
    static_cast<void>(in.take<wall_time>("job"));
    const auto targets = in.take<table::blob>("targets");
    const auto canaries = in.take<table::blob>("canaries");
    CHECK_OK(in.finish());
    job_audience who;
    TRY(who.targets, fleet::system_set::parse(targets.content));
    TRY(who.canaries, fleet::system_set::parse(canaries.content));
    return who;
}

}  // namespace muster::jobs
