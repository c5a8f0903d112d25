#pragma once

#include "core/model/fingerprint.h"
#include "core/table/value.h"

#include <cstddef>
#include <string>

namespace muster::fleet {

// The facts of a system, as a row of the table `facts` of the ledger. Its node writes the row with
// replace_if_grows{"changed"}, so that a late write of a former node is ignored.
struct stored_facts {
    fingerprint print;
    std::string document;  // a JSON object: paths to values
    std::string digest;    // of the document as sent by the agent; any bytes
    wall_time changed;

    friend bool operator==(const stored_facts&, const stored_facts&) = default;
};

inline constexpr std::size_t facts_bytes_max = 256 * std::size_t{1024};

table::row encode_facts(const stored_facts& facts);

// Strict: errc::corrupt for anything that encode_facts does not write, except the sequence.
result<stored_facts> decode_facts(const table::row& row);

}  // namespace muster::fleet
