#pragma once

#include "core/model/event.h"
#include "core/table/batch.h"

#include <cstdint>

// Events as the ledger's table `events` keeps them.
namespace muster::events {

// The ledger table of events, for third parties. It has no returns: these are read from the change
// sequence of the tasks table.
inline constexpr std::string_view events_table = "events";

struct stored_event {
    event_record record;
    std::int64_t sequence = 0;

    friend bool operator==(const stored_event&, const stored_event&) = default;
};

table::row encode_event(const event_record& event);
// errc::corrupt with the column's name.
result<stored_event> decode_event(const table::row& cells);

}  // namespace muster::events
