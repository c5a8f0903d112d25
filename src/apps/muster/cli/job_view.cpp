#include "apps/muster/cli/job_view.h"

#include "apps/muster/cli/chain_view.h"
#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t lines_shown = 5;

std::string plain(const json::value& what) {
    if (what.is_string()) return json::value_to<std::string>(what);
    return what.is_null() ? std::string() : json::serialize(what);
}

std::string member(const json::object& of, std::string_view name) {
    const auto* const found = of.if_contains({name.data(), name.size()});
    return found == nullptr ? std::string() : plain(*found);
}

void add_line(std::string& to, std::string_view name, const std::string& text) {
    if (!text.empty()) to += fmt::format("{:<10}{}\n", name, printable(text));
}

// A command as somebody would type it; the arguments of other functions as they are.
std::string spoken_arguments(const json::object& job) {
    const auto* const arguments = job.if_contains("arguments");
    if (arguments == nullptr || !arguments->is_object() || arguments->as_object().empty())
        return {};
    const auto& input = arguments->as_object();
    if (auto steps = steps_text(input)) return *std::move(steps);
    const auto* const command = input.if_contains("cmd");
    if (input.size() != 1 || command == nullptr) return json::serialize(input);
    if (!command->is_array()) return plain(*command);
    std::string words;
    for (const auto& each : command->as_array()) words += (words.empty() ? "" : " ") + plain(each);
    return words;
}

std::string spoken_counts(const json::object& job) {
    const auto* const counts = job.if_contains("counts");
    if (counts == nullptr || !counts->is_object()) return {};
    std::string text;
    for (const auto& each : counts->as_object()) {
        const auto count = plain(each.value());
        if (count == "0") continue;
        const std::string_view name(each.key().data(), each.key().size());
        text += (text.empty() ? "" : ", ") + count + " "
                + (name == "picked_up" ? std::string("running") : std::string(name));
    }
    return text;
}

std::string chosen_options(const json::object& job) {
    static const std::map<std::string_view, std::string_view> usual{
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
    for (const auto& each : options->as_object()) {
        const std::string_view name(each.key().data(), each.key().size());
        const auto value = plain(each.value());
        const auto it = usual.find(name);
        // Which of the two is usual depends on what is run; neither was asked for.
        if (name == "windows" && (value == "respect" || value == "ignore")) continue;
        if (value.empty() || (it != usual.end() && it->second == value)) continue;
        text += (text.empty() ? "" : ", ") + std::string(name) + " " + value;
    }
    return text;
}

std::string first_lines(const std::string& text) {
    std::string output;
    std::size_t at = 0;
    for (std::size_t n = 0; n < lines_shown && at < text.size(); ++n) {
        const auto end = std::min(text.find('\n', at), text.size());
        output += "    " + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    if (at < text.size()) output += "    …\n";
    return output;
}

std::string group_text(const json::object& group) {
    const auto reason = member(group, "reason");
    auto text = fmt::format("{} {}", member(group, "count"), member(group, "state"));
    if (!reason.empty()) text += ": " + reason;
    std::string examples;
    const auto* const listed = group.if_contains("examples");
    if (listed != nullptr && listed->is_array())
        for (const auto& each : listed->as_array())
            if (each.is_object()) {
                const auto name = member(each.as_object(), "name");
                examples += (examples.empty() ? "" : ", ")
                            + (name.empty() ? member(each.as_object(), "system") : name);
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
    const auto& all = job.as_object();
    std::string text;
    add_line(text, "job", member(all, "id"));
    const auto arguments = spoken_arguments(all);
    const auto function = member(all, "function");
    add_line(text, "what", arguments.empty() ? function : function + " " + arguments);
    add_line(text, "for", member(all, "query") + ", " + member(all, "targets") + " systems");
    add_line(text, "by", member(all, "by") + ", " + member(all, "made"));
    add_line(text, "note", member(all, "note"));
    add_line(text, "options", chosen_options(all));
    const auto phase = member(all, "phase");
    auto stage = member(all, "stage");
    if (stage == "open" && phase != "everybody") stage += ", may start: " + phase;
    if (const auto reason = member(all, "reason"); !reason.empty()) stage += ": " + reason;
    add_line(text, "stage", stage);
    add_line(text, "tasks", spoken_counts(all));
    return text;
}

std::string task_view(const json::value& task) {
    if (!task.is_object()) return {};
    const auto& all = task.as_object();
    std::string text;
    add_line(text, "system", member(all, "name") + " (" + member(all, "system") + ")");
    auto state = member(all, "state");
    if (const auto reason = member(all, "reason"); !reason.empty()) state += ": " + reason;
    add_line(text, "state", state);
    add_line(text, "attempt", member(all, "attempt"));
    add_line(text, "picked up", member(all, "picked_up"));
    add_line(text, "ended", member(all, "ended"));
    if (member(all, "output_pending") == "true") add_line(text, "output", "is on its way");
    const auto* const output = all.if_contains("output");
    const auto shown = output == nullptr ? std::string() : output_text(*output);
    return shown.empty() ? text : text + "\n" + printable(shown) + "\n";
}

std::string results_text(const json::value& results) {
    std::string text;
    if (!results.is_object()) return text;
    const auto* const items = results.as_object().if_contains("items");
    if (items == nullptr || !items->is_array()) return text;
    for (const auto& each : items->as_array())
        if (each.is_object()) text += group_text(each.as_object());
    if (const auto beyond = member(results.as_object(), "beyond"); !beyond.empty() && beyond != "0")
        text += beyond + " more in groups that are not shown\n";
    return text;
}

}  // namespace muster::cli
