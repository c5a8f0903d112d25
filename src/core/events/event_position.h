#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::events {

// How far somebody has read: all events and all tasks up to these places in their tables' change
// sequences. As text it is the cursor of the API ("812.104233"). It depends neither on the server
// nor on what is asked for, so a reader may go on anywhere, and with another filter.
struct event_position {
    std::int64_t events = 0;
    std::int64_t tasks = 0;

    friend bool operator==(const event_position&, const event_position&) = default;
};

std::string to_string(const event_position& where);
std::optional<event_position> parse_event_position(std::string_view text);

}  // namespace muster::events
