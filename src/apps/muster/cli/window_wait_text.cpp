#include "apps/muster/cli/window_wait_text.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

std::string text_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    return member != nullptr && member->is_string() ? json::value_to<std::string>(*member) : "";
}

std::int64_t number_member(const json::object& object, const char* name) {
    const auto* const member = object.if_contains(name);
    json::error_code failure;
    const auto number = member == nullptr ? 0 : member->to_number<std::int64_t>(failure);
    return failure ? 0 : number;
}

std::string wait_text(const json::object& wait) {
    const auto opens = text_member(wait, "opens");
    return fmt::format(
        "{} waiting for {}, {}",
        number_member(wait, "systems"),
        text_member(wait, "schedule"),
        opens.empty() ? "no window planned" : "opens " + opens);
}

}  // namespace

std::string window_wait_text(const json::value* waiting) {
    if (waiting == nullptr) return {};
    if (const auto* const wait = waiting->if_object()) return wait_text(*wait);
    std::string text;
    if (const auto* const waits = waiting->if_array()) {
        for (const auto& wait : *waits) {
            if (const auto* const members = wait.if_object())
                text += (text.empty() ? "" : "; ") + wait_text(*members);
        }
    }
    return text;
}

void describe_window_wait(json::object& job) {
    const auto text = window_wait_text(job.if_contains("waiting"));
    job["waiting"] = text.empty() ? json::value(nullptr) : json::value(text);
    const auto* const counts = job.if_contains("counts");
    const auto running = counts != nullptr && counts->is_object()
                             ? number_member(counts->get_object(), "picked_up")
                             : 0;
    if (!text.empty() && running == 0 && text_member(job, "stage") == "open")
        job["stage"] = "waiting";
}

}  // namespace muster::cli
