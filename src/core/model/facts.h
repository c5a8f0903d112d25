#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// What a system says of itself: flat paths ("os.name") with JSON texts of their values.
using facts = std::map<std::string, std::string>;

// The bytes whose SHA-256 is the digest of a set of facts, the same on agent and node: for each
// path in order its size, the path, the value's size and the value; sizes as four bytes, big
// endian.
std::string canonical_form(const facts& all);
// Strict: errc::corrupt for anything that canonical_form() does not make.
result<facts> parse_canonical_form(std::string_view bytes);

struct facts_difference {
    facts set;                         // new or changed
    std::vector<std::string> removed;  // in order

    bool empty() const { return set.empty() && removed.empty(); }

    friend bool operator==(const facts_difference&, const facts_difference&) = default;
};

// What turns `from` into `to`.
facts_difference difference(const facts& from, const facts& to);

void apply(const facts_difference& facts_difference, facts& to);

}  // namespace muster
