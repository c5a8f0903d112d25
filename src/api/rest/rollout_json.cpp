#include "api/rest/rollout_json.h"

#include "core/jobs/job_rules.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t retries_max = jobs::job_limits::retries_max;
constexpr std::int64_t priority_max = jobs::job_limits::priority_max;
constexpr std::int64_t weight_max = jobs::job_limits::weight_max;

std::unexpected<error> wrong(std::string_view name, const error& why) {
    return fail(errc::invalid, fmt::format("`{}`: {}", name, why.detail()));
}

result<void> take_amount(json_body& body, const char* name, std::optional<amount>& into) {
    const auto* const given = body.optional_value(name);
    if (given == nullptr) return {};
    std::string text;
    if (const auto* const written = given->get<std::string>()) text = *written;
    if (const auto* const count = given->get<std::int64_t>()) text = std::to_string(*count);
    if (given->holds<std::string>() && text.empty()) {
        into.reset();
        return {};
    }
    const auto read = parse_amount(text);
    if (!read) return wrong(name, read.error());
    into = *read;
    return {};
}

result<void> take_number(json_body& body, const char* name, std::optional<double>& into) {
    const auto* const given = body.optional_value(name);
    if (given == nullptr) return {};
    const auto* const number = given->get<double>();
    const auto* const count = given->get<std::int64_t>();
    if (number == nullptr && count == nullptr)
        return fail(errc::invalid, fmt::format("`{}` must be a number", name));
    const auto read = number != nullptr ? *number : static_cast<double>(*count);
    into.reset();
    if (std::fpclassify(read) != FP_ZERO) into = read;
    return {};
}

struct bounds {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

template <class Number>
result<void> take_within(json_body& body, const char* name, bounds range, Number& into) {
    TRY(const auto input, body.optional_integer(name));
    if (!input) return {};
    if (*input < range.least || *input > range.most)
        return fail(
            errc::invalid,
            fmt::format("`{}` must be from {} to {}", name, range.least, range.most));
    into = static_cast<Number>(*input);
    return {};
}

json::value text_of(const std::optional<amount>& amount) {
    json::value response;
    if (amount) response = to_string(*amount);
    return response;
}

}  // namespace

result<void> read_span(json_body& body, const char* name, monotonic::duration& into) {
    TRY(const auto text, body.optional_text(name));
    if (!text) return {};
    const auto read = runtime::parse_duration(*text);
    if (!read) return wrong(name, read.error());
    into = *read;
    return {};
}

result<void> read_rollout(json_body& body, rollout_options& options) {
    CHECK_OK(take_amount(body, "batch", options.batch));
    CHECK_OK(read_span(body, "batch_wait", options.batch_wait));
    CHECK_OK(take_number(body, "rate", options.rate));
    CHECK_OK(take_amount(body, "canary", options.canary));
    CHECK_OK(read_span(body, "canary_wait", options.canary_wait));
    CHECK_OK(take_amount(body, "max_failures", options.max_failures));
    CHECK_OK(take_within(body, "retries", {.least = 0, .most = retries_max}, options.retries));
    CHECK_OK(read_span(body, "retry_wait", options.retry_wait));
    const auto* const on_return = body.optional_value("on_return");
    if (on_return != nullptr && !on_return->holds<bool>())
        return fail(errc::invalid, "`on_return` must be true or false");
    if (on_return != nullptr) options.on_return = *on_return->get<bool>();
    CHECK_OK(take_within(
        body, "priority", {.least = -priority_max, .most = priority_max}, options.priority));
    CHECK_OK(take_within(body, "weight", {.least = 1, .most = weight_max}, options.weight));
    return {};
}

std::vector<api::parameter> rollout_parameters() {
    using namespace api;
    const auto amount_of = [](const char* name, const char* about) {
        return optional_in_body(
            name, anything().with_about(about + std::string(": 10 or \"25%\"")));
    };
    const auto span_of = [](const char* name, const char* about) {
        return optional_in_body(
            name, text().with_about(about + std::string(": such as 90s or 1h30m")));
    };
    return {
        amount_of("batch", "how many at a time"),
        span_of("batch_wait", "a pause after each that ended before the next one starts"),
        optional_in_body("rate", api::number().with_about("starts a second, at most")),
        amount_of("canary", "how many go first"),
        span_of("canary_wait", "a pause after the first"),
        amount_of("max_failures", "how many may fail before the rest is held"),
        optional_in_body("retries", integer(0, retries_max)),
        span_of("retry_wait", "a pause before the next attempt"),
        optional_in_body("on_return", flag().with_about("systems that are away run it later")),
        optional_in_body("priority", integer(-priority_max, priority_max)),
        optional_in_body("weight", integer(1, weight_max))};
}

void show_rollout(json::object& to, const rollout_options& options) {
    to["batch"] = text_of(options.batch);
    to["batch_wait"] = runtime::format_duration(options.batch_wait);
    to["rate"] = nullptr;
    if (options.rate) to["rate"] = *options.rate;
    to["canary"] = text_of(options.canary);
    to["canary_wait"] = runtime::format_duration(options.canary_wait);
    to["max_failures"] = text_of(options.max_failures);
    to["retries"] = options.retries;
    to["retry_wait"] = runtime::format_duration(options.retry_wait);
    to["on_return"] = options.on_return;
    to["priority"] = options.priority;
    to["weight"] = options.weight;
}

}  // namespace muster::api
