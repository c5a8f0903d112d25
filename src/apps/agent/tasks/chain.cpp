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
using session::step_ending;
using session::task_outcome;

namespace {

constexpr std::size_t depth_max = 20;

result<chain_step> parse_step(const json::value& from, monotonic::duration timeout) {
    if (!from.is_object()) return fail(errc::invalid, "an object is needed");
    chain_step step{.function = {}, .arguments = "{}", .timeout = timeout};
    for (const auto& each : from.get_object()) {
        const std::string_view name = each.key();
        const auto& value = each.value();
        if (name == "function" && value.is_string()) {
            step.function = std::string(value.get_string());
        } else if (name == "arguments" && value.is_object()) {
            step.arguments = json::serialize(value);
        } else if (name == "timeout" && value.is_string()) {
            TRY(step.timeout, runtime::parse_duration(std::string_view(value.get_string())));
        } else {
            return fail(errc::invalid, fmt::format("{} does not belong here", name));
        }
    }
    const auto existing = parse_function(step.function);
    if (!existing)
        return fail(errc::invalid, fmt::format("this agent has no function {}", step.function));
    if (*existing == function::chain)
        return fail(errc::invalid, "a chain cannot be a step of a chain");
    return step;
}

std::string_view word_of(task_outcome outcome) {
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

void tell(json::object& into, const step_ending& step_ending) {
    const auto outcome = word_of(step_ending.outcome);
    into["outcome"] = json::string_view(outcome.data(), outcome.size());
    into["exit_code"] = step_ending.exit_code;
    into["seconds"] = rough_seconds(step_ending.took);
    if (!step_ending.reason.empty()) into["reason"] = step_ending.reason;
    if (step_ending.truncated) into["truncated"] = true;
    if (step_ending.output.empty()) return;
    json::error_code failure;
    auto output = json::parse(step_ending.output, failure);
    into["output"] = failure ? json::value(step_ending.output) : std::move(output);
}

}  // namespace

result<std::vector<chain_step>> parse_chain(const session::task_order& task) {
    json::parse_options strict;
    strict.max_depth = depth_max;
    json::error_code failure;
    const auto document = json::parse(task.arguments, failure, {}, strict);
    const auto* const members = failure ? nullptr : document.if_object();
    const auto* const list = members == nullptr ? nullptr : members->if_contains("steps");
    if (list == nullptr || !list->is_array() || members->size() != 1)
        return fail(errc::invalid, "steps: a list of steps is needed, and nothing else");
    const auto& array = list->get_array();
    if (array.empty() || array.size() > chain_limits::steps_max)
        return fail(
            errc::invalid, fmt::format("steps: from 1 to {} of them", chain_limits::steps_max));
    std::vector<chain_step> steps;
    for (const auto& each : array) {
        auto step = parse_step(each, task.timeout);
        if (!step)
            return fail(
                errc::invalid, fmt::format("step {}: {}", steps.size() + 1, step.error().detail()));
        steps.push_back(*std::move(step));
    }
    return steps;
}

std::vector<session::task_nature> natures_of(const std::vector<chain_step>& steps) {
    std::vector<session::task_nature> natures;
    natures.reserve(steps.size());
    for (const auto& step : steps) natures.push_back(nature_of(step.function));
    return natures;
}

session::task_ending chain_ending(
    const std::vector<chain_step>& steps, const chain_progress& chain) {
    session::task_ending ending{.outcome = task_outcome::succeeded};
    ending.truncated = std::ranges::any_of(chain.ended, &step_ending::truncated);
    if (chain.ended.empty() || chain.ended.back().outcome == task_outcome::succeeded) return ending;
    const auto& last = chain.ended.back();
    const auto at = session::step_of(chain);
    ending.outcome = last.outcome;
    ending.exit_code = last.exit_code;
    const auto* const how = last.outcome == task_outcome::interrupted ? "interrupted in " : "";
    ending.reason = fmt::format(
        "{}{} ({}): {}", how, session::place_of(chain), steps.at(at - 1).function, last.reason);
    return ending;
}

std::string chain_payload(const std::vector<chain_step>& steps, const chain_progress& chain) {
    json::array response;
    for (std::size_t at = 0; at < steps.size(); ++at) {
        json::object one{{"step", at + 1}, {"function", steps[at].function}};
        if (at < chain.ended.size()) {
            tell(one, chain.ended[at]);
        } else {
            one["outcome"] = "not_run";
        }
        response.push_back(std::move(one));
    }
    return json::serialize(json::object{{"steps", std::move(response)}});
}

std::int64_t rough_seconds(std::chrono::microseconds took) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(took).count();
    if (seconds <= 0) return 0;
    std::int64_t decade = 1;
    while (decade * 10 < seconds) decade *= 10;
    for (const auto each : {1, 2, 5, 10}) {
        if (seconds <= decade * each) return decade * each;
    }
    return seconds;
}

std::size_t output_left(const chain_progress& chain) {
    std::size_t used = 0;
    for (const auto& each : chain.ended) used += each.output.size();
    return chain_limits::output_bytes_max - std::min(chain_limits::output_bytes_max, used);
}

}  // namespace muster::agent
