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

// Kinds of rows in the ledger table `window_records`: calendars, maintenance schedules, their
// assignment to systems, and recurring schedules. Few rows that change rarely; every server caches
// all of them.
enum class record_kind { calendar, maintenance, assignment, schedule, policy };

std::string_view to_string(record_kind kind);

// One row. A change writes the whole row with the next version: of two concurrent changes one wins.
// A removed record stays as a row without a document, so that followers see the removal.
struct window_record {
    record_kind kind = record_kind::calendar;
    std::string name;
    std::string document;  // JSON; empty: removed
    std::string members;   // of an assignment
    std::int64_t version = 0;
    std::string changed_by;
    wall_time changed;
    std::int64_t sequence = 0;  // set in rows that were read

    bool is_removed() const { return document.empty(); }
    friend bool operator==(const window_record&, const window_record&) = default;
};

struct record_limits {
    static constexpr std::size_t records_max = 10'000;  // of each kind
    static constexpr std::size_t name_bytes_max = 128;
};

table::row encode(const window_record& record);
result<window_record> decode_record(const table::row& row);

// Names may be any non-empty text of one line.
result<void> check_record_name(std::string_view text, std::string_view name);

// Systems by maintenance schedule, for one part of the system numbers. A system is in at most one
// set, because a part is always written as a whole.
using assignment = std::map<std::string, fleet::system_set>;

// System numbers per part. Bounds the size of a row.
inline constexpr std::int64_t systems_per_part = std::int64_t{1} << 20;
std::string part_name(system_number system);

std::string encode_assignment(const assignment& assignment);
result<assignment> decode_assignment(std::string_view bytes);

}  // namespace muster::windows
