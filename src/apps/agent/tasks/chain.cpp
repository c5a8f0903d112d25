#include "apps/agent/tasks/chain.h"

#include "apps/agent/tasks/functions.h"
#include "core/model/chain.h"
#include "runtime/settings/units.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::agent {

namespace json = boost::json;
using session::chain_progress;
using session::step_result;
using session::task_outcome;

namespace {

constexpr std::size_t depth_max = 20;

result<chain_step> parse_step(const json::value& document, monotonic::duration timeout) {
    if (!document.is_object()) return fail(errc::invalid, "object required");
    chain_step step{.function = {}, .arguments = "{}", .timeout = timeout};
    for (const auto& member : document.get_object()) {
        const std::string_view name = member.key();
        const auto& value = member.value();
        if (name == "function" && value.is_string()) {
            step.function = std::string(value.get_string());
        } else if (name == "arguments" && value.is_object()) {
            step.arguments = json::serialize(value);
        } else if (name == "timeout" && value.is_string()) {
            TRY(step.timeout, runtime::parse_duration(std::string_view(value.get_string())));
        } else {
            return fail(errc::invalid, fmt::format("unknown or invalid member \"{}\"", name));
        }
    }
    const auto function_kind = parse_function(step.function);
    if (!function_kind)
        return fail(
            errc::invalid,
            fmt::format("function \"{}\" is not supported by this agent", step.function));
    if (*function_kind == function::chain) return fail(errc::invalid, "chains cannot be nested");
    return step;
}

std::string_view to_word(task_outcome outcome) {
    switch (outcome) {
        case task_outcome::unknown:
            break;
        case task_outcome::succeeded:
            return "succeeded";
        case task_outcome::failed:
            return "failed";
        case task_outcome::timed_out:
            return "timed_out";
        case task_outcome::interrupted:
            return "interrupted";
        case task_outcome::cancelled:
            return "cancelled";
        case task_outcome::refused:
            return "refused";
        case task_outcome::not_started:
            return "not_started";
    }
    return "unknown";
}

void write_result(json::object& output, const session::step_result& result) {
    const auto outcome = to_word(result.outcome);
    output["outcome"] = json::string_view(outcome.data(), outcome.size());
    output["exit_code"] = result.exit_code;
    output["seconds"] = round_seconds(result.duration);
    if (!result.reason.empty()) output["reason"] = result.reason;
    if (result.truncated) output["truncated"] = true;
    if (result.output.empty()) return;
    json::error_code failure;
    auto document = json::parse(result.output, failure);
    output["output"] = failure ? json::value(result.output) : std::move(document);
}

}  // namespace

result<std::vector<chain_step>> parse_chain(const session::task_request& task) {
    json::parse_options strict;
    strict.max_depth = depth_max;
    json::error_code failure;
    const auto document = json::parse(task.arguments, failure, {}, strict);
    const auto* const members = failure ? nullptr : document.if_object();
    const auto* const list = members == nullptr ? nullptr : members->if_contains("steps");
    if (list == nullptr || !list->is_array() || members->size() != 1)
        return fail(
            errc::invalid, "steps: list of steps required; other arguments are not allowed");
    const auto& array = list->get_array();
    if (array.empty() || array.size() > chain_limits::steps_max)
        return fail(
            errc::invalid, fmt::format("steps: 1 to {} steps required", chain_limits::steps_max));
    std::vector<chain_step> steps;
    for (const auto& value : array) {
        auto step = parse_step(value, task.timeout);
        if (!step)
            return fail(
                errc::invalid, fmt::format("step {}: {}", steps.size() + 1, step.error().detail()));
        steps.push_back(*std::move(step));
    }
    return steps;
}

std::vector<session::task_nature> to_natures(const std::vector<chain_step>& steps) {
    std::vector<session::task_nature> natures;
    natures.reserve(steps.size());
    for (const auto& step : steps) natures.push_back(nature_of(step.function));
    return natures;
}

session::task_result chain_result(
    const std::vector<chain_step>& steps, const chain_progress& chain) {
    session::task_result result{.outcome = task_outcome::succeeded};
    result.truncated = std::ranges::any_of(chain.results, &step_result::truncated);
    if (chain.results.empty() || chain.results.back().outcome == task_outcome::succeeded)
        return result;
    const auto& last = chain.results.back();
    const auto step = session::current_step(chain);
    result.outcome = last.outcome;
    result.exit_code = last.exit_code;
    const auto* const prefix = last.outcome == task_outcome::interrupted ? "interrupted in " : "";
    result.reason = fmt::format(
        "{}{} ({}): {}",
        prefix,
        session::describe_step(chain),
        steps.at(step - 1).function,
        last.reason);
    return result;
}

std::string chain_payload(const std::vector<chain_step>& steps, const chain_progress& chain) {
    json::array entries;
    for (std::size_t index = 0; index < steps.size(); ++index) {
        json::object entry{{"step", index + 1}, {"function", steps[index].function}};
        if (index < chain.results.size()) {
            write_result(entry, chain.results[index]);
        } else {
            entry["outcome"] = "not_run";
        }
        entries.push_back(std::move(entry));
    }
    return json::serialize(json::object{{"steps", std::move(entries)}});
}

std::int64_t round_seconds(std::chrono::microseconds duration) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(duration).count();
    if (seconds <= 0) return 0;
    std::int64_t decade = 1;
    while (decade * 10 < seconds) decade *= 10;
    for (const auto factor : {1, 2, 5, 10}) {
        if (seconds <= decade * factor) return decade * factor;
    }
    return seconds;
}

std::size_t remaining_output(const chain_progress& chain) {
    std::size_t used = 0;
    for (const auto& step : chain.results) used += step.output.size();
    return chain_limits::output_bytes_max - std::min(chain_limits::output_bytes_max, used);
}

}  // namespace muster::agent
