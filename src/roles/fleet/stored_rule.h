#pragma once

#include "core/lifecycle/accept_rule.h"
#include "core/lifecycle/enrolment.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet {

// An accept rule as it is kept in the metastore. Of an activation key only the digest is kept.
struct stored_rule {
    std::string name;
    std::int64_t priority = 100;
    std::string key_digest;
    std::vector<std::string> networks;
    std::vector<std::string> names;
    std::string zone;
    std::vector<std::string> tags;
    std::vector<std::string> groups;
    std::string made_by;
    wall_time made;

    friend bool operator==(const stored_rule&, const stored_rule&) = default;
};

// A one-time token: whoever shows it is taken in. It is kept by its digest under a lease, so that
// it ends by itself; when it is used it remembers by whom, so that the same system may try again.
struct stored_token {
    std::string zone;
    std::vector<std::string> tags;
    std::vector<std::string> groups;
    std::string made_by;
    std::string used_by;  // a fingerprint; empty: nobody yet

    friend bool operator==(const stored_token&, const stored_token&) = default;
};

struct rule_limits {
    static constexpr std::size_t rules_max = 1'000;
    static constexpr std::size_t patterns_max = 100;  // networks or names of one rule
    static constexpr std::size_t name_bytes_max = 63;
};

// The rule as it is applied; errc::invalid with what is wrong in it.
result<lifecycle::accept_rule> compiled(const stored_rule& rule);

std::string encode(const stored_rule& what);
std::string encode(const stored_token& what);

// errc::corrupt when the text is not such a record.
result<stored_rule> decode_rule(std::string_view text);
result<stored_token> decode_token(std::string_view text);

}  // namespace muster::fleet
