#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/table/value.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::fleet {

// A named expression, in Salt a nodegroup. A row of the table `saved_groups` of the ledger, written
// with replace_if_grows{"version"}. A row without a definition is a removed group.
struct saved_group {
    std::string name;
    std::string definition;  // an expression, or names separated by blanks
    std::string description;
    std::string changed_by;
    wall_time changed;
    std::int64_t version = 1;

    friend bool operator==(const saved_group&, const saved_group&) = default;
};

struct group_limits {
    static constexpr std::size_t groups_max = 10'000;
    static constexpr std::size_t name_bytes_max = 63;
    static constexpr std::size_t description_bytes_max = 1024;
};

table::row encode_group(const saved_group& group);
// Strict: errc::corrupt for anything that encode_group does not write, except the sequence.
result<saved_group> decode_group(const table::row& row);

}  // namespace muster::fleet
