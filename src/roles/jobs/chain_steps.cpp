#include "roles/jobs/chain_steps.h"

#include "core/model/chain.h"
#include "roles/jobs/functions.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace muster::jobs {
namespace {

namespace json = boost::json;

// What an agent keeps to, whatever it is told (adapters/channel/task_frames.h).
constexpr monotonic::duration timeout_max = std::chrono::hours(24 * 7);

result<monotonic::duration> time_limit(const json::object& step, monotonic::duration usual) {
    const auto* const given = step.if_contains("timeout");
    if (given == nullptr || given->is_null()) return usual;
    if (!given->is_string()) return fail(errc::invalid, "`timeout` must be a span such as \"10m\"");
    TRY(const auto span, runtime::parse_duration(json::value_to<std::string>(*given)));
    if (span <= monotonic::duration::zero() || span > timeout_max)
        return fail(errc::invalid, "`timeout` must be more than nothing and at most 7d");
    return span;
}

result<void> check_step(const json::value& given) {
    const auto* const step = given.if_object();
    if (step == nullptr) return fail(errc::invalid, "it must be an object with a `function`");
    for (const auto& each : *step) {
        const std::string_view name(each.key().data(), each.key().size());
        if (name != "function" && name != "arguments" && name != "timeout")
            return fail(
                errc::invalid,
                "there is no `" + std::string(name) + "`; it takes: function, arguments, timeout");
    }
    const auto* const function = step->if_contains("function");
    if (function == nullptr || !function->is_string())
        return fail(errc::invalid, "`function` must be a text");
    const auto name = json::value_to<std::string>(*function);
    if (name == chain_function) return fail(errc::invalid, "a chain cannot be a step of a chain");
    const auto* const arguments = step->if_contains("arguments");
    const auto limit = time_limit(*step, timeout_max);
    if (!limit) return fail(limit.error());
    return check_function(name, arguments == nullptr ? "{}" : json::serialize(*arguments));
}

}  // namespace

result<void> check_chain(const json::object& arguments) {
    const auto* const list = arguments.if_contains("steps");
    if (list == nullptr || !list->is_array() || arguments.size() != 1)
        return fail(errc::invalid, "`steps` must be a list of steps");
    const auto& steps = list->as_array();
    if (steps.empty() || steps.size() > chain_limits::steps_max)
        return fail(
            errc::invalid,
            "a chain has from 1 to " + std::to_string(chain_limits::steps_max) + " steps, not "
                + std::to_string(steps.size()));
    for (std::size_t at = 0; at < steps.size(); ++at) {
        const auto well = check_step(steps[at]);
        if (!well)
            return fail(
                errc::invalid, "step " + std::to_string(at + 1) + ": " + well.error().detail());
    }
    return {};
}

monotonic::duration usual_time(const job_spec& work) {
    const auto usual = job_spec().timeout;
    if (work.function != chain_function) return usual;
    json::error_code failure;
    const auto arguments = json::parse(work.arguments, failure);
    const auto* const members = failure ? nullptr : arguments.if_object();
    const auto* const list = members == nullptr ? nullptr : members->if_contains("steps");
    if (list == nullptr || !list->is_array()) return usual;
    monotonic::duration all{};
    for (const auto& each : list->as_array()) {
        const auto* const step = each.if_object();
        all += step == nullptr ? usual : time_limit(*step, usual).value_or(usual);
    }
    return std::min(all, timeout_max);
}

}  // namespace muster::jobs
