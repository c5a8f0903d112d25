#pragma once

#include "core/model/system.h"
#include "core/table/row_reader.h"
#include "core/table/value.h"

#include <string_view>

namespace muster::fleet {

// A system as a row of the table `systems` of the ledger. `changed` is the time of the write. The
// pruner of evicted keys and operators use it.
struct stored_system {
    system_record record;
    wall_time changed;
    std::int64_t sequence = 0;  // set on reading
};

table::row encode_system(const system_record& record, wall_time changed);

// Strict: errc::corrupt, naming the column, for anything that encode_system does not write.
result<stored_system> decode_system(const table::row& row);

// The primary key of the rows of a system.
table::value key_cell(const fingerprint& print);
fingerprint read_fingerprint(table::row_reader& reader);

}  // namespace muster::fleet
