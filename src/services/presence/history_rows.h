#pragma once

#include "base/result.h"
#include "core/presence/history.h"
#include "core/presence/presence_recorder.h"
#include "core/table/batch.h"

#include <string>

// Rows of the presence history in the ledger (services/presence/presence_tables.h).
namespace muster::presence::history {

enum class set_kind : std::uint8_t {
    present = 0,  // at the start of the period
    changed = 1,  // during the period
};

struct stored_set {
    wall_time opened;
    node_number node;
    set_kind kind = set_kind::present;
    fleet::system_set systems;
};

// Idempotent; a later write of the same period wins.
table::batch encode(const presence_recorder::interval_record& interval);
table::batch encode(const missing_mark& mark, std::string state);

// errc::corrupt with the name of the column.
result<report_period> decode_period(const table::row& row);
result<stored_set> decode_set(const table::row& row);
result<change> decode_change(const table::row& row);
result<missing_mark> decode_mark(const table::row& row);

}  // namespace muster::presence::history
