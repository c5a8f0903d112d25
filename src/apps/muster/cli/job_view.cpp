#include "apps/muster/cli/job_view.h"

#include "apps/muster/cli/chain_view.h"
#include "apps/muster/cli/job_progress.h"
#include "apps/muster/cli/window_wait_text.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t lines_shown = 5;

std::string to_text(const json::value& value) {
    if (value.is_string()) return json::value_to<std::string>(value);
    return value.is_null() ? std::string() : json::serialize(value);
}

std::string member(const json::object& object, std::string_view name) {
    const auto* const value = object.if_contains({name.data(), name.size()});
    return value == nullptr ? std::string() : to_text(*value);
}

void add_line(std::string& text_block, std::string_view name, const std::string& text) {
    if (!text.empty()) text_block += fmt::format("{:<10}{}\n", name, printable(text));
}

// A command as a user would type it; the arguments of other functions as JSON.
std::string arguments_text(const json::object& job) {
    const auto* const arguments = job.if_contains("arguments");
    if (arguments == nullptr || !arguments->is_object() || arguments->as_object().empty())
        return {};
    const auto& members = arguments->as_object();
    if (auto steps = steps_text(members)) return *std::move(steps);
    const auto* const command = members.if_contains("cmd");
    if (members.size() != 1 || command == nullptr) return json::serialize(members);
    if (!command->is_array()) return to_text(*command);
    std::string words;
    for (const auto& word : command->as_array())
        words += (words.empty() ? "" : " ") + to_text(word);
    return words;
}

std::string counts_text(const json::object& job) {
    const auto* const counts = job.if_contains("counts");
    if (counts == nullptr || !counts->is_object()) return {};
    std::string text;
    for (const auto& entry : counts->as_object()) {
        const auto count = to_text(entry.value());
        if (count == "0") continue;
        const std::string_view name(entry.key().data(), entry.key().size());
        text += (text.empty() ? "" : ", ") + count + " "
                + (name == "picked_up" ? std::string("running") : std::string(name));
    }
    return text;
}

std::string chosen_options(const json::object& job) {
    static const std::map<std::string_view, std::string_view> defaults{
        {"expires_after", "1d"},
        {"timeout", "1h"},
        {"may_run_again", "false"},
        {"parents", "[]"},
        {"batch_wait", "0s"},
        {"canary_wait", "0s"},
        {"retries", "0"},
        {"retry_wait", "10s"},
        {"on_return", "true"},
        {"priority", "0"},
        {"weight", "10"}};
    const auto* const options = job.if_contains("options");
    if (options == nullptr || !options->is_object()) return {};
    std::string text;
    for (const auto& option : options->as_object()) {
        const std::string_view name(option.key().data(), option.key().size());
        const auto value = to_text(option.value());
        const auto it = defaults.find(name);
        // The default depends on the function; neither value was requested.
        if (name == "windows" && (value == "respect" || value == "ignore")) continue;
        if (value.empty() || (it != defaults.end() && it->second == value)) continue;
        text += (text.empty() ? "" : ", ") + std::string(name) + " " + value;
    }
    return text;
}

std::string first_lines(const std::string& text) {
    std::string lines;
    std::size_t start = 0;
    for (std::size_t line = 0; line < lines_shown && start < text.size(); ++line) {
        const auto end = std::min(text.find('\n', start), text.size());
        lines += "    " + text.substr(start, end - start) + "\n";
        start = end + 1;
    }
    if (start < text.size()) lines += "    …\n";
    return lines;
}

std::string group_text(const json::object& group) {
    const auto reason = member(group, "reason");
    auto text = fmt::format("{} {}", member(group, "count"), member(group, "state"));
    if (!reason.empty()) text += ": " + reason;
    std::string examples;
    const auto* const systems = group.if_contains("examples");
    if (systems != nullptr && systems->is_array())
        for (const auto& system : systems->as_array())
            if (system.is_object()) {
                const auto name = member(system.as_object(), "name");
                examples += (examples.empty() ? "" : ", ")
                            + (name.empty() ? member(system.as_object(), "system") : name);
            }
    if (!examples.empty()) text += " (" + examples + ")";
    text += "\n";
    if (const auto* const output = group.if_contains("output"))
        text += first_lines(output_text(*output));
    return printable(text);
}

}  // namespace

std::string job_text(const json::value& job) {
    if (!job.is_object()) return {};
    const auto& members = job.as_object();
    std::string text;
    add_line(text, "job", member(members, "id"));
    const auto arguments = arguments_text(members);
    const auto function = member(members, "function");
    add_line(text, "function", arguments.empty() ? function : function + " " + arguments);
    add_line(
        text, "query", member(members, "query") + ", " + member(members, "targets") + " systems");
    add_line(text, "by", member(members, "by") + ", " + member(members, "made"));
    add_line(text, "note", member(members, "note"));
    add_line(text, "options", chosen_options(members));
    const auto phase = member(members, "phase");
    auto stage = member(members, "stage");
    if (stage == "open" && phase != "everybody") stage += ", may start: " + phase;
    if (const auto reason = member(members, "reason"); !reason.empty()) stage += ": " + reason;
    add_line(text, "stage", stage);
    add_line(text, "tasks", counts_text(members));
    add_line(text, "windows", window_wait_text(members.if_contains("waiting")));
    return text;
}

std::string task_view(const json::value& task) {
    if (!task.is_object()) return {};
    const auto& members = task.as_object();
    std::string text;
    add_line(text, "system", member(members, "name") + " (" + member(members, "system") + ")");
    auto state = member(members, "state");
    if (const auto reason = member(members, "reason"); !reason.empty()) state += ": " + reason;
    add_line(text, "state", state);
    add_line(text, "attempt", member(members, "attempt"));
    add_line(text, "picked up", member(members, "picked_up"));
    add_line(text, "ended", member(members, "ended"));
    if (member(members, "output_pending") == "true") add_line(text, "output", "not available yet");
    const auto* const output = members.if_contains("output");
    const auto text_output = output == nullptr ? std::string() : output_text(*output);
    return text_output.empty() ? text : text + "\n" + printable(text_output) + "\n";
}

std::string results_text(const json::value& results) {
    std::string text;
    if (!results.is_object()) return text;
    const auto* const items = results.as_object().if_contains("items");
    if (items == nullptr || !items->is_array()) return text;
    for (const auto& group : items->as_array())
        if (group.is_object()) text += group_text(group.as_object());
    if (const auto beyond = member(results.as_object(), "beyond"); !beyond.empty() && beyond != "0")
        text += beyond + " more tasks in groups that are not shown\n";
    return text;
}

}  // namespace muster::cli
