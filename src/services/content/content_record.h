#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/packages/number_set.h"
#include "core/table/value.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::content {

// What there is besides packages.
enum class record_kind { channel, repository, erratum, profile, subscription };

std::string_view to_string(record_kind record_kind);

// A row of the ledger's table `content_records`, written with replace_if_grows{"version"}: of two
// who change the same, one is told so. One that was removed stays, so that others learn of it, and
// its number is never another's.
struct content_record {
    record_kind kind = record_kind::channel;
    std::string name;
    std::uint32_t number = 0;
    std::int64_t version = 1;
    bool removed = false;
    std::string document = "{}";
    packages::number_set packages;
    packages::number_set errata;
    std::string changed_by;
    wall_time changed;
    std::int64_t sequence = 0;  // of a row that was read
};

table::row encode(const content_record& from);
// errc::corrupt for anything that encode() does not write, the sequence aside.
result<content_record> decode_record(const table::row& row);

}  // namespace muster::content
