#include "apps/muster/cli/chain_view.h"

#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

const json::array* steps_in(const json::object& of) {
    const auto* const steps = of.if_contains("steps");
    return steps == nullptr ? nullptr : steps->if_array();
}

std::string text_in(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    if (found == nullptr || found->is_null()) return {};
    return found->is_string() ? json::value_to<std::string>(*found) : json::serialize(*found);
}

std::string indented(const std::string& text) {
    std::string result;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto end = std::min(text.find('\n', at), text.size());
        result += "    " + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return result;
}

std::string step_text(const json::object& step) {
    const auto outcome = text_in(step, "outcome");
    auto line = fmt::format("{} {}: ", text_in(step, "step"), text_in(step, "function"));
    if (outcome == "not_run") return line + "not run\n";
    line += outcome;
    if (const auto reason = text_in(step, "reason"); !reason.empty()) line += ", " + reason;
    const auto seconds = text_in(step, "seconds");
    line += seconds == "0" ? ", less than 1 s\n" : fmt::format(", at most {} s\n", seconds);
    const auto* const output = step.if_contains("output");
    if (output != nullptr && *output != true) line += indented(output_text(*output));
    return line;
}

}  // namespace

std::optional<std::string> chain_text(const json::value& output) {
    const auto* const members = output.if_object();
    const auto* const steps = members == nullptr ? nullptr : steps_in(*members);
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
    const auto* const steps = steps_in(arguments);
    if (steps == nullptr) return std::nullopt;
    std::string text;
    for (const auto& each : *steps) {
        if (!each.is_object()) return std::nullopt;
        const auto& step = each.as_object();
        const auto* const given = step.if_contains("arguments");
        const auto* const command = given == nullptr || !given->is_object()
                                        ? nullptr
                                        : given->as_object().if_contains("cmd");
        if (!text.empty()) text += "; ";
        text += command == nullptr ? text_in(step, "function") : text_in(given->as_object(), "cmd");
    }
    return text;
}

}  // namespace muster::cli
