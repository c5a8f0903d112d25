#pragma once

#include "core/model/fingerprint.h"
#include "core/table/value.h"

#include <cstddef>
#include <string>

namespace muster::fleet {

// What a system told of itself, as a row of the ledger's table `facts`. The node a system is
// attached to writes it with replace_if_grows{"changed"}, so that a former one that is late undoes
// nothing.
struct stored_facts {
    fingerprint print;
    std::string document;  // a JSON object: paths to values
    std::string digest;    // of the document as the agent made it; any bytes
    wall_time changed;

    friend bool operator==(const stored_facts&, const stored_facts&) = default;
};

inline constexpr std::size_t facts_bytes_max = 256 * std::size_t{1024};

table::row encode_facts(const stored_facts& facts);

// Strict: errc::corrupt for anything that encode_facts does not write, the sequence aside.
result<stored_facts> decode_facts(const table::row& cells);

}  // namespace muster::fleet
