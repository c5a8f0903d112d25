#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/fleet/system_set.h"
#include "core/model/system.h"
#include "core/table/value.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::windows {

// What the ledger's table `window_records` holds: calendars, maintenance schedules, which systems
// have which, and what runs again and again. Few rows that change rarely; every server has them in
// memory.
enum class record_kind { calendar, maintenance, assignment, schedule, policy };

std::string_view to_string(record_kind kind);

// One row. A change is a whole new row with the next version: of two who start from the same one
// wins. What was removed stays as a row without a document, so that followers learn of it.
struct window_record {
    record_kind kind = record_kind::calendar;
    std::string name;
    std::string document;  // JSON; empty: removed
    std::string members;   // of an assignment
    std::int64_t version = 0;
    std::string changed_by;
    wall_time changed;
    std::int64_t sequence = 0;  // of a row that was read

    bool removed() const { return document.empty(); }
    friend bool operator==(const window_record&, const window_record&) = default;
};

struct record_limits {
    static constexpr std::size_t records_max = 10'000;  // of each kind
    static constexpr std::size_t name_bytes_max = 128;
};

table::row encode(const window_record& window);
result<window_record> decode_record(const table::row& cells);

// Names are for people: any text of one line that is not empty.
result<void> check_record_name(std::string_view text, std::string_view name);

// Which schedule has which systems, of one part of the systems' numbers. A system is in at most one
// of the sets, because a part is always written as a whole.
using assignment = std::map<std::string, fleet::system_set>;

// A part has this many numbers, so that no row grows with the fleet.
inline constexpr std::int64_t systems_per_part = std::int64_t{1} << 20;
std::string part_name(system_number of);

std::string encode_assignment(const assignment& assignment);
result<assignment> decode_assignment(std::string_view bytes);

}  // namespace muster::windows
