#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::events {

// The position of a reader: all events and tasks up to these places in the change sequences of
// their tables were read. As text it is the cursor of the API ("812.104233"). It does not depend on
// the server or the filter, so a reader can continue on any server and with another filter.
struct event_position {
    std::int64_t events = 0;
    std::int64_t tasks = 0;

    friend bool operator==(const event_position&, const event_position&) = default;
};

std::string to_string(const event_position& where);
std::optional<event_position> parse_event_position(std::string_view text);

}  // namespace muster::events
