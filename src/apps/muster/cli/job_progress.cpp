#include "apps/muster/cli/job_progress.h"

#include "apps/muster/cli/chain_view.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string text_in(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    return found != nullptr && found->is_string() ? json::value_to<std::string>(*found) : "";
}

std::optional<std::int64_t> number_in(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    json::error_code failure;
    const auto read = found->to_number<std::int64_t>(failure);
    if (failure) return std::nullopt;
    return read;
}

std::optional<double> real_in(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    json::error_code failure;
    const auto read = found->to_number<double>(failure);
    if (failure) return std::nullopt;
    return read;
}

std::string trimmed(std::string text) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return text;
}

std::string indented(const std::string& text) {
    std::string result;
    std::size_t at = 0;
    while (at <= text.size()) {
        const auto end = std::min(text.find('\n', at), text.size());
        result += "    " + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return result;
}

std::string spoken_seconds(std::int64_t seconds) {
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
    if (output.is_string()) return trimmed(json::value_to<std::string>(output));
    if (auto chain = chain_text(output)) return *std::move(chain);
    const auto* const members = output.if_object();
    if (members == nullptr || !members->contains("stdout")) return json::serialize(output);
    auto text = trimmed(text_in(*members, "stdout"));
    const auto errors = trimmed(text_in(*members, "stderr"));
    if (!errors.empty()) text += (text.empty() ? "" : "\n") + errors;
    const auto* const cut = members->if_contains("truncated");
    if (cut != nullptr && cut->is_bool() && cut->as_bool()) text += "\n(there was more)";
    return text;
}

std::int64_t job_progress::number(const char* name) const {
    return number_in(last_, name).value_or(0);
}

std::int64_t job_progress::count(const char* state) const {
    const auto* const counts = last_.if_contains("counts");
    if (counts == nullptr || !counts->is_object()) return 0;
    return number_in(counts->as_object(), state).value_or(0);
}

bool job_progress::complete(json::object& task) {
    const auto digest = text_in(task, "digest");
    if (task.contains("output") || digest.empty()) return true;
    for (const auto& [known, output] : kept_) {
        if (known != digest) continue;
        task["output"] = output;
        return true;
    }
    const auto payload = payloads_(digest);
    if (!payload) return false;
    json::error_code failure;
    auto parsed = json::parse(*payload, failure);
    kept_.emplace_back(digest, failure ? json::value(*payload) : std::move(parsed));
    if (kept_.size() > payloads_kept) kept_.pop_front();
    task["output"] = kept_.back().second;
    return true;
}

std::string task_text(const json::object& task) {
    auto name = text_in(task, "name");
    if (name.empty()) name = fmt::format("system {}", number_in(task, "system").value_or(0));
    const auto state = text_in(task, "state");
    auto head = name + ":";
    if (state != "completed") {
        head += " " + state;
        const auto reason = text_in(task, "reason");
        const auto code = fmt::format("exit code {}", number_in(task, "exit_code").value_or(0));
        if (code != "exit code 0" && !reason.contains(code)) head += ", " + code;
        if (!reason.empty()) head += ": " + reason;
    }
    const auto* const there = task.if_contains("output");
    if (there == nullptr && !text_in(task, "digest").empty())
        return printable(head + " (its output is not here yet)") + "\n";
    const auto output = there == nullptr ? std::string() : output_text(*there);
    if (output.empty()) return printable(head) + "\n";
    const bool brief = state == "completed" && output.find('\n') == std::string::npos;
    if (brief) return printable(head + " " + output) + "\n";
    return printable(head) + "\n" + printable(indented(output));
}

std::optional<job_progress::taken> job_progress::take(const json::value& event) {
    const auto* const members = event.if_object();
    if (members == nullptr) return std::nullopt;
    const auto kind = text_in(*members, "kind");
    if (const auto at = text_in(*members, "at"); !at.empty()) at_ = at;
    if (kind == "progress" || kind == "end") last_ = *members;
    if (kind == "end") over_ = true;
    if (kind != "task") return std::nullopt;
    const std::pair pair(
        number_in(*members, "system").value_or(0), number_in(*members, "attempt").value_or(1));
    if (!seen_.insert(pair).second) return std::nullopt;
    auto task = *members;
    if (!complete(task) && late_.size() < late_max) {
        late_.push_back(std::move(task));
        return std::nullopt;
    }
    return taken{.text = task_text(task), .event = std::move(task)};
}

std::vector<job_progress::taken> job_progress::take_late(timeout how) {
    std::vector<taken> here;
    std::deque<json::object> left;
    for (auto& each : late_) {
        if (complete(each) || how == timeout::give_up) {
            auto text = task_text(each);
            here.push_back({.text = std::move(text), .event = std::move(each)});
        } else {
            left.push_back(std::move(each));
        }
    }
    late_ = std::move(left);
    return here;
}

std::string job_progress::line() const {
    auto text = fmt::format("{}/{}", number("ended"), number("targets"));
    if (const auto running = count("picked_up"); running > 0)
        text += fmt::format(", {} running", running);
    if (const auto failed = count("failed"); failed > 0) text += fmt::format(", {} failed", failed);
    if (const auto stage = text_in(last_, "stage"); !stage.empty() && stage != "open")
        text += ", " + stage;
    if (text_in(last_, "phase") == "canaries") text += ", canaries first";
    if (const auto rate = real_in(last_, "rate"); rate && *rate > 0)
        text += fmt::format(", {:.1f}/s", *rate);
    if (const auto left = number_in(last_, "eta_seconds"))
        text += ", " + spoken_seconds(*left) + " left";
    return printable(text);
}

std::string job_progress::last_line(monotonic::duration taken) const {
    const auto completed = count("completed");
    auto text = fmt::format(
        "{}/{} in {:.1f} s",
        completed,
        number("targets"),
        std::chrono::duration<double>(taken).count());
    for (const auto* const state : {"failed", "cancelled", "expired", "picked_up", "queued"}) {
        if (const auto some = count(state); some > 0)
            text +=
                fmt::format(", {} {}", some, std::string(state) == "picked_up" ? "running" : state);
    }
    if (const auto reason = text_in(last_, "reason");
        !reason.empty() && completed < number("targets"))
        text += "; " + reason;
    return printable(text);
}

exit_code job_progress::outcome() const {
    const auto targets = number("targets");
    if (last_.empty()) return exit_code::timed_out;
    if (count("completed") == targets) return exit_code::well;
    if (count("failed") > 0) return exit_code::failed;
    return exit_code::timed_out;
}

}  // namespace muster::cli
