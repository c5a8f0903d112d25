#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/table/value.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::configuration {

// A small configuration record: a row of the ledger table `config_records`, written with
// replace_if_grows{"version"}. A row without a document is a removed record.
struct record {
    std::string kind;
    std::string name;
    std::string document;  // a JSON object
    std::int64_t version = 0;
    std::string changed_by = {};
    wall_time changed = {};

    friend bool operator==(const record&, const record&) = default;
};

// The kinds of records.
namespace kinds {
inline constexpr std::string_view channel = "channel";            // by label
inline constexpr std::string_view custom_key = "custom-key";      // by label
inline constexpr std::string_view group = "group";                // by the group's name
inline constexpr std::string_view formulas = "formulas";          // by the group's name
inline constexpr std::string_view person = "person";              // by the user's name
inline constexpr std::string_view organisation = "organisation";  // by the zone's name
inline constexpr std::string_view trust = "trust";                // by two zones' names
}  // namespace kinds

struct record_limits {
    static constexpr std::size_t records_max = 10'000;  // of a kind
    static constexpr std::size_t name_bytes_max = 255;
    static constexpr std::size_t document_bytes_max = std::size_t{64} * 1024;
};

table::row encode_record(const record& record);
// Strict: errc::corrupt for anything that encode_record does not write, the sequence aside.
result<record> decode_record(const table::row& row);

}  // namespace muster::configuration
