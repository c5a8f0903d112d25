#pragma once

#include "core/model/system.h"
#include "core/table/row_reader.h"
#include "core/table/value.h"

#include <string_view>

namespace muster::fleet {

// A system as a row of the ledger's table `systems`. `changed` is when the row was written; it is
// for the cleaning up of the evicted and for people.
struct stored_system {
    system_record record;
    wall_time changed;
    std::int64_t sequence = 0;  // of a row that was read
};

table::row encode_system(const system_record& record, wall_time changed);

// Strict: errc::corrupt, naming the column, for anything that encode_system does not write.
result<stored_system> decode_system(const table::row& cells);

// The key of a system's rows.
table::value key_cell(const fingerprint& print);
fingerprint take_print(table::row_reader& cells);

}  // namespace muster::fleet
