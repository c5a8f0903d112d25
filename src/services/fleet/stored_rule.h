#pragma once

#include "core/lifecycle/accept_rule.h"
#include "core/lifecycle/enrolment.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet {

// The part of an accept rule that only activation keys have. The key itself is stored, because
// clients of the compatible API read it. Such a rule has a random name, because more users see
// names of rules than may know keys.
struct activation {
    std::string key;
    std::string description = {};
    std::optional<std::int64_t> usage_limit = {};  // maximum of systems; nothing: no limit
    std::string base_channel = {};                 // labels of software channels
    std::vector<std::string> child_channels = {};
    std::vector<std::string> config_channels = {};  // highest priority first
    std::vector<std::string> packages = {};         // "name", or "name arch"
    std::vector<std::string> entitlements = {};
    std::string contact_method = {};
    bool universal_default = false;
    bool disabled = false;
    bool deploys_files = false;

    friend bool operator==(const activation&, const activation&) = default;
};

// An accept rule as stored in the metastore. It has only the digest of an activation key, unless it
// was created as one.
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
    std::optional<activation> as_key = {};

    friend bool operator==(const stored_rule&, const stored_rule&) = default;
};

// A one-time enrolment token. It is stored by its digest under a lease that ends it. It records its
// user, so that the same system may try again.
struct stored_token {
    std::string zone;
    std::vector<std::string> tags;
    std::vector<std::string> groups;
    std::string made_by;
    std::string used_by;  // a fingerprint; empty: unused

    friend bool operator==(const stored_token&, const stored_token&) = default;
};

struct rule_limits {
    static constexpr std::size_t rules_max = 1'000;
    static constexpr std::size_t patterns_max = 100;  // networks or names of one rule
    static constexpr std::size_t name_bytes_max = 63;
    static constexpr std::int64_t usage_limit_max = 1'000;
    static constexpr std::size_t labels_max = 200;  // of one kind of one key
    static constexpr std::size_t label_bytes_max = 255;
    static constexpr std::size_t description_bytes_max = 1'024;
};

// The name of key rules in older records. It must stay secret, because keys can be tried against
// it.
std::string old_name_of_key_rule(std::string_view digest);

// The rule without its key and digest, to be hashed or shown where others could try keys against
// it.
stored_rule without_key(stored_rule rule);

// The systems that a rule with a usage limit accepted.
struct stored_uses {
    std::vector<std::string> systems = {};  // fingerprints

    friend bool operator==(const stored_uses&, const stored_uses&) = default;
};

// Converts a stored rule to the form that is matched; errc::invalid with the reason.
result<lifecycle::accept_rule> compile(const stored_rule& rule);

std::string encode(const stored_rule& rule);
std::string encode(const stored_token& token);
std::string encode(const stored_uses& uses);

// errc::corrupt when the text is not a valid record.
result<stored_rule> decode_rule(std::string_view text);
result<stored_token> decode_token(std::string_view text);
result<stored_uses> decode_uses(std::string_view text);

}  // namespace muster::fleet
