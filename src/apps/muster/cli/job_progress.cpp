#include "apps/muster/cli/job_progress.h"

#include "apps/muster/cli/chain_view.h"
#include "apps/muster/cli/window_wait_text.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string text_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    return member != nullptr && member->is_string() ? json::value_to<std::string>(*member) : "";
}

std::optional<std::int64_t> number_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    if (member == nullptr || !member->is_number()) return std::nullopt;
    json::error_code failure;
    const auto number = member->to_number<std::int64_t>(failure);
    if (failure) return std::nullopt;
    return number;
}

std::optional<double> real_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    if (member == nullptr || !member->is_number()) return std::nullopt;
    json::error_code failure;
    const auto number = member->to_number<double>(failure);
    if (failure) return std::nullopt;
    return number;
}

std::string trim_newlines(std::string text) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return text;
}

std::string indent(const std::string& text) {
    std::string result;
    std::size_t start = 0;
    while (start <= text.size()) {
        const auto end = std::min(text.find('\n', start), text.size());
        result += "    " + text.substr(start, end - start) + "\n";
        start = end + 1;
    }
    return result;
}

std::string duration_text(std::int64_t seconds) {
    if (seconds < 120) return fmt::format("{} s", seconds);
    if (seconds < 7200) return fmt::format("{} min", (seconds + 30) / 60);
    return fmt::format("{} h", (seconds + 1800) / 3600);
}

}  // namespace

std::string printable(std::string text) {
    for (auto& letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        if ((code < 0x20 && letter != '\n' && letter != '\t') || code == 0x7f) letter = '?';
    }
    return text;
}

std::string output_text(const json::value& output) {
    if (output.is_null()) return {};
    if (output.is_string()) return trim_newlines(json::value_to<std::string>(output));
    if (auto chain = chain_text(output)) return *std::move(chain);
    const auto* const members = output.if_object();
    if (members == nullptr || !members->contains("stdout")) return json::serialize(output);
    auto text = trim_newlines(text_member(*members, "stdout"));
    const auto errors = trim_newlines(text_member(*members, "stderr"));
    if (!errors.empty()) text += (text.empty() ? "" : "\n") + errors;
    const auto* const truncated = members->if_contains("truncated");
    if (truncated != nullptr && truncated->is_bool() && truncated->as_bool())
        text +=
            "\n"
            "(output truncated)";
    return text;
}

std::int64_t job_progress::number(const char* name) const {
    return number_member(last_, name).value_or(0);
}

std::int64_t job_progress::count(const char* state) const {
    const auto* const counts = last_.if_contains("counts");
    if (counts == nullptr || !counts->is_object()) return 0;
    return number_member(counts->as_object(), state).value_or(0);
}

bool job_progress::complete(json::object& task) {
    const auto digest = text_member(task, "digest");
    if (task.contains("output") || digest.empty()) return true;
    for (const auto& [cached_digest, output] : payload_cache_) {
        if (cached_digest != digest) continue;
        task["output"] = output;
        return true;
    }
    const auto payload = payloads_(digest);
    if (!payload) return false;
    json::error_code failure;
    auto parsed = json::parse(*payload, failure);
    payload_cache_.emplace_back(digest, failure ? json::value(*payload) : std::move(parsed));
    if (payload_cache_.size() > payload_cache_max) payload_cache_.pop_front();
    task["output"] = payload_cache_.back().second;
    return true;
}

std::string system_name(const json::object& task) {
    auto name = text_member(task, "name");
    if (name.empty()) name = fmt::format("system {}", number_member(task, "system").value_or(0));
    return name;
}

std::string task_text(const json::object& task) {
    return task_text(task, system_name(task));
}

std::string task_text(const json::object& task, const std::string& systems) {
    const auto state = text_member(task, "state");
    auto head = systems + ":";
    if (state != "completed") {
        head += " " + state;
        const auto reason = text_member(task, "reason");
        const auto code = fmt::format("exit code {}", number_member(task, "exit_code").value_or(0));
        if (code != "exit code 0" && !reason.contains(code)) head += ", " + code;
        if (!reason.empty()) head += ": " + reason;
    }
    const auto* const output_value = task.if_contains("output");
    if (output_value == nullptr && !text_member(task, "digest").empty())
        return printable(head + " (output not available yet)") + "\n";
    const auto output = output_value == nullptr ? std::string() : output_text(*output_value);
    if (output.empty()) return printable(head) + "\n";
    const bool one_line = state == "completed" && output.find('\n') == std::string::npos;
    if (one_line) return printable(head + " " + output) + "\n";
    return printable(head) + "\n" + printable(indent(output));
}

std::optional<job_progress::task_return> job_progress::add_event(const json::value& event) {
    const auto* const members = event.if_object();
    if (members == nullptr) return std::nullopt;
    const auto kind = text_member(*members, "kind");
    if (const auto event_position = text_member(*members, "at"); !event_position.empty())
        position_ = event_position;
    if (kind == "progress" || kind == "end") last_ = *members;
    if (kind == "end") finished_ = true;
    if (kind != "task") return std::nullopt;
    const std::pair attempt(
        number_member(*members, "system").value_or(0),
        number_member(*members, "attempt").value_or(1));
    if (!shown_.insert(attempt).second) return std::nullopt;
    auto task = *members;
    if (!complete(task) && late_.size() < late_max) {
        late_.push_back(std::move(task));
        return std::nullopt;
    }
    return task_return{.text = task_text(task), .event = std::move(task)};
}

std::vector<job_progress::task_return> job_progress::take_completed(late_policy policy) {
    std::vector<task_return> completed;
    std::deque<json::object> pending;
    for (auto& task : late_) {
        if (complete(task) || policy == late_policy::give_up) {
            auto text = task_text(task);
            completed.push_back({.text = std::move(text), .event = std::move(task)});
        } else {
            pending.push_back(std::move(task));
        }
    }
    late_ = std::move(pending);
    return completed;
}

std::string job_progress::line() const {
    auto text = fmt::format("{}/{}", number("ended"), number("targets"));
    if (const auto running = count("picked_up"); running > 0)
        text += fmt::format(", {} running", running);
    if (const auto failed = count("failed"); failed > 0) text += fmt::format(", {} failed", failed);
    if (const auto stage = text_member(last_, "stage"); !stage.empty() && stage != "open")
        text += ", " + stage;
    if (text_member(last_, "phase") == "canaries") text += ", canaries first";
    if (const auto rate = real_member(last_, "rate"); rate && *rate > 0)
        text += fmt::format(", {:.1f}/s", *rate);
    if (const auto seconds_left = number_member(last_, "eta_seconds"))
        text += ", " + duration_text(*seconds_left) + " left";
    if (const auto waiting = window_wait_text(last_.if_contains("waiting")); !waiting.empty())
        text += ", " + waiting;
    return printable(text);
}

std::string job_progress::last_line(monotonic::duration duration) const {
    const auto completed = count("completed");
    auto text = fmt::format(
        "{}/{} in {:.1f} s",
        completed,
        number("targets"),
        std::chrono::duration<double>(duration).count());
    for (const auto* const state : {"failed", "cancelled", "expired", "picked_up", "queued"}) {
        if (const auto tasks = count(state); tasks > 0)
            text += fmt::format(
                ", {} {}", tasks, std::string(state) == "picked_up" ? "running" : state);
    }
    if (const auto reason = text_member(last_, "reason");
        !reason.empty() && completed < number("targets"))
        text += "; " + reason;
    return printable(text);
}

exit_code job_progress::outcome() const {
    const auto targets = number("targets");
    if (last_.empty()) return exit_code::timed_out;
    if (count("completed") == targets) return exit_code::ok;
    if (count("failed") > 0) return exit_code::failed;
    return exit_code::timed_out;
}

}  // namespace muster::cli
