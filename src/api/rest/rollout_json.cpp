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

std::unexpected<error> invalid_member(std::string_view name, const error& failure) {
    return fail(errc::invalid, fmt::format("`{}`: {}", name, failure.detail()));
}

result<void> read_amount(json_body& body, const char* name, std::optional<amount>& target) {
    const auto* const value = body.optional_value(name);
    if (value == nullptr) return {};
    std::string text;
    if (const auto* const string = value->get<std::string>()) text = *string;
    if (const auto* const count = value->get<std::int64_t>()) text = std::to_string(*count);
    if (value->holds<std::string>() && text.empty()) {
        target.reset();
        return {};
    }
    const auto parsed = parse_amount(text);
    if (!parsed) return invalid_member(name, parsed.error());
    target = *parsed;
    return {};
}

result<void> read_number(json_body& body, const char* name, std::optional<double>& target) {
    const auto* const value = body.optional_value(name);
    if (value == nullptr) return {};
    const auto* const number = value->get<double>();
    const auto* const count = value->get<std::int64_t>();
    if (number == nullptr && count == nullptr)
        return fail(errc::invalid, fmt::format("`{}` must be a number", name));
    const auto parsed = number != nullptr ? *number : static_cast<double>(*count);
    target.reset();
    if (std::fpclassify(parsed) != FP_ZERO) target = parsed;
    return {};
}

struct bounds {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

template <class Number>
result<void> read_integer(json_body& body, const char* name, bounds range, Number& target) {
    TRY(const auto value, body.optional_integer(name));
    if (!value) return {};
    if (*value < range.least || *value > range.most)
        return fail(
            errc::invalid,
            fmt::format("`{}` must be from {} to {}", name, range.least, range.most));
    target = static_cast<Number>(*value);
    return {};
}

json::value amount_json(const std::optional<amount>& amount) {
    json::value json_value;
    if (amount) json_value = to_string(*amount);
    return json_value;
}

}  // namespace

result<void> read_span(json_body& body, const char* name, monotonic::duration& duration) {
    TRY(const auto text, body.optional_text(name));
    if (!text) return {};
    const auto parsed = runtime::parse_duration(*text);
    if (!parsed) return invalid_member(name, parsed.error());
    duration = *parsed;
    return {};
}

result<void> read_rollout(json_body& body, rollout_options& options) {
    CHECK_OK(read_amount(body, "batch", options.batch));
    CHECK_OK(read_span(body, "batch_wait", options.batch_wait));
    CHECK_OK(read_number(body, "rate", options.rate));
    CHECK_OK(read_amount(body, "canary", options.canary));
    CHECK_OK(read_span(body, "canary_wait", options.canary_wait));
    CHECK_OK(read_amount(body, "max_failures", options.max_failures));
    CHECK_OK(read_integer(body, "retries", {.least = 0, .most = retries_max}, options.retries));
    CHECK_OK(read_span(body, "retry_wait", options.retry_wait));
    const auto* const on_return = body.optional_value("on_return");
    if (on_return != nullptr && !on_return->holds<bool>())
        return fail(errc::invalid, "`on_return` must be true or false");
    if (on_return != nullptr) options.on_return = *on_return->get<bool>();
    CHECK_OK(read_integer(
        body, "priority", {.least = -priority_max, .most = priority_max}, options.priority));
    CHECK_OK(read_integer(body, "weight", {.least = 1, .most = weight_max}, options.weight));
    return {};
}

std::vector<api::parameter> rollout_parameters() {
    using namespace api;
    const auto amount_parameter = [](const char* name, const char* about) {
        return optional_in_body(
            name, anything().with_about(about + std::string(", such as 10 or \"25%\"")));
    };
    const auto duration_parameter = [](const char* name, const char* about) {
        return optional_in_body(
            name, text().with_about(about + std::string(", such as 90s or 1h30m")));
    };
    return {
        amount_parameter("batch", "maximum number of systems at a time"),
        duration_parameter(
            "batch_wait", "pause between the end of a task and the start of the next one"),
        optional_in_body("rate", api::number().with_about("maximum task starts per second")),
        amount_parameter("canary", "number of systems that run first"),
        duration_parameter("canary_wait", "pause after the canaries"),
        amount_parameter("max_failures", "number of failures before the job is halted"),
        optional_in_body("retries", integer(0, retries_max)),
        duration_parameter("retry_wait", "pause before the next attempt"),
        optional_in_body(
            "on_return", flag().with_about("offline systems run the task when they return")),
        optional_in_body("priority", integer(-priority_max, priority_max)),
        optional_in_body("weight", integer(1, weight_max))};
}

void show_rollout(json::object& object, const rollout_options& options) {
    object["batch"] = amount_json(options.batch);
    object["batch_wait"] = runtime::format_duration(options.batch_wait);
    object["rate"] = nullptr;
    if (options.rate) object["rate"] = *options.rate;
    object["canary"] = amount_json(options.canary);
    object["canary_wait"] = runtime::format_duration(options.canary_wait);
    object["max_failures"] = amount_json(options.max_failures);
    object["retries"] = options.retries;
    object["retry_wait"] = runtime::format_duration(options.retry_wait);
    object["on_return"] = options.on_return;
    object["priority"] = options.priority;
    object["weight"] = options.weight;
}

}  // namespace muster::api
