#pragma once

#include "base/result.h"
#include "core/presence/history.h"
#include "core/presence/presence_recorder.h"
#include "core/table/batch.h"

#include <string>

// The record of who was attached where as the ledger's tables keep it
// (services/presence/presence_tables.h).
namespace muster::presence::history {

enum class set_kind : std::uint8_t {
    present = 0,  // when the chapter began
    changed = 1,  // in all of it
};

struct stored_set {
    wall_time opened;
    node_number node;
    set_kind kind = set_kind::present;
    fleet::system_set systems;
};

// Written again, it changes nothing; and what was written later stands.
table::batch encode(const presence_recorder::page& page);
table::batch encode(const mark& noticed, std::string state);

// errc::corrupt with the column's name.
result<chapter> decode_chapter(const table::row& cells);
result<stored_set> decode_set(const table::row& cells);
result<change> decode_change(const table::row& cells);
result<mark> decode_mark(const table::row& cells);

}  // namespace muster::presence::history
