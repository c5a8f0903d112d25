#include "core/events/event_position.h"

#include <charconv>
#include <system_error>

namespace muster::events {
namespace {

std::optional<std::int64_t> parse_sequence(std::string_view digits) {
    std::int64_t read = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stopped, failure] = std::from_chars(digits.data(), end, read);
    if (failure != std::errc() || stopped != end || read < 0) return std::nullopt;
    return read;
}

}  // namespace

std::string to_string(const event_position& where) {
    return std::to_string(where.events) + "." + std::to_string(where.tasks);
}

std::optional<event_position> parse_event_position(std::string_view text) {
    const auto dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto events = parse_sequence(text.substr(0, dot));
    const auto tasks = parse_sequence(text.substr(dot + 1));
    if (!events || !tasks) return std::nullopt;
    return event_position{.events = *events, .tasks = *tasks};
}

}  // namespace muster::events
