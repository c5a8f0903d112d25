// What comes back from clients as an opaque cursor, or from a store as bytes: it is either refused
// or read, and what was read and written again is the same.

#include "base/assert.h"
#include "core/placement/slot_table.h"
#include "core/table/encoding.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto row = muster::table::decode_row(bytes);
    if (row) MUSTER_ASSERT(muster::table::encode(*row) == bytes);
    const auto table = muster::placement::slot_table::decode(bytes);
    if (table) {
        const auto again = muster::placement::slot_table::decode(table->encode());
        MUSTER_ASSERT(again.has_value());
        MUSTER_ASSERT(*again == *table);
    }
    return 0;
}
