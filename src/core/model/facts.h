#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Facts that a system reports: flat paths ("os.name") with their values as JSON texts.
using facts = std::map<std::string, std::string>;

// The bytes that a digest of facts (SHA-256) covers, the same on agent and node. For each path in
// order: its size, the path, the value's size, the value. Sizes are four bytes, big endian.
std::string canonical_form(const muster::facts& facts);
// Strict: errc::corrupt for bytes that canonical_form() does not produce.
result<facts> parse_canonical_form(std::string_view bytes);

struct facts_difference {
    facts set;                         // new or changed
    std::vector<std::string> removed;  // in order

    bool empty() const { return set.empty() && removed.empty(); }

    friend bool operator==(const facts_difference&, const facts_difference&) = default;
};

// The change that turns `before` into `after`.
facts_difference difference(const facts& before, const facts& after);

void apply(const facts_difference& change, facts& target);

}  // namespace muster
