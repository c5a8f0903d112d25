#include "apps/muster/cli/chain_view.h"

#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

const json::array* find_steps(const json::object& object) {
    const auto* const steps = object.if_contains("steps");
    return steps == nullptr ? nullptr : steps->if_array();
}

std::string text_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    if (member == nullptr || member->is_null()) return {};
    return member->is_string() ? json::value_to<std::string>(*member) : json::serialize(*member);
}

std::string indent(const std::string& text) {
    std::string result;
    std::size_t start = 0;
    while (start < text.size()) {
        const auto end = std::min(text.find('\n', start), text.size());
        result += "    " + text.substr(start, end - start) + "\n";
        start = end + 1;
    }
    return result;
}

std::string step_text(const json::object& step) {
    const auto outcome = text_member(step, "outcome");
    auto line = fmt::format("{} {}: ", text_member(step, "step"), text_member(step, "function"));
    if (outcome == "not_run") return line + "not run\n";
    line += outcome;
    if (const auto reason = text_member(step, "reason"); !reason.empty()) line += ", " + reason;
    const auto seconds = text_member(step, "seconds");
    line += seconds == "0" ? ", less than 1 s\n" : fmt::format(", at most {} s\n", seconds);
    const auto* const output = step.if_contains("output");
    if (output != nullptr && *output != true) line += indent(output_text(*output));
    return line;
}

}  // namespace

std::optional<std::string> chain_text(const json::value& output) {
    const auto* const members = output.if_object();
    const auto* const steps = members == nullptr ? nullptr : find_steps(*members);
    if (steps == nullptr || members->size() != 1) return std::nullopt;
    std::string text;
    for (const auto& step : *steps) {
        if (!step.is_object() || !step.as_object().contains("outcome")) return std::nullopt;
        text += step_text(step.as_object());
    }
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

std::optional<std::string> steps_text(const json::object& arguments) {
    const auto* const steps = find_steps(arguments);
    if (steps == nullptr) return std::nullopt;
    std::string text;
    for (const auto& item : *steps) {
        if (!item.is_object()) return std::nullopt;
        const auto& step = item.as_object();
        const auto* const step_arguments = step.if_contains("arguments");
        const auto* const command = step_arguments == nullptr || !step_arguments->is_object()
                                        ? nullptr
                                        : step_arguments->as_object().if_contains("cmd");
        if (!text.empty()) text += "; ";
        text += command == nullptr ? text_member(step, "function")
                                   : text_member(step_arguments->as_object(), "cmd");
    }
    return text;
}

}  // namespace muster::cli
