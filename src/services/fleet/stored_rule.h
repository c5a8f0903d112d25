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

// What a rule that was made as an activation key gives and asks beyond an accept rule. The key is
// kept, because clients of the compatible API read it again; the rule has a random name, because
// more people see the names of rules than may know keys.
struct activation {
    std::string key;
    std::string description = {};
    std::optional<std::int64_t> usage_limit = {};  // so many systems at once; nothing: any number
    std::string base_channel = {};                 // labels of software channels
    std::vector<std::string> child_channels = {};
    std::vector<std::string> config_channels = {};  // the strongest first
    std::vector<std::string> packages = {};         // "name", or "name arch"
    std::vector<std::string> entitlements = {};
    std::string contact_method = {};
    bool universal_default = false;
    bool disabled = false;
    bool deploys_files = false;

    friend bool operator==(const activation&, const activation&) = default;
};

// An accept rule as it is kept in the metastore. Of an activation key only the digest is kept,
// unless the rule was made as one.
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
    static constexpr std::int64_t usage_limit_max = 1'000;
    static constexpr std::size_t labels_max = 200;  // of one kind of one key
    static constexpr std::size_t label_bytes_max = 255;
    static constexpr std::size_t description_bytes_max = 1'024;
};

// The name that rules for keys had in older records: whoever sees it can try keys against it.
std::string old_name_of_key_rule(std::string_view digest);

// The rule without the key and its digest: what may be hashed or shown where others see it, who
// could try keys against it.
stored_rule without_key(stored_rule rule);

// Which systems were taken in by a rule with a usage limit, by fingerprint.
struct stored_uses {
    std::vector<std::string> by = {};

    friend bool operator==(const stored_uses&, const stored_uses&) = default;
};

// The rule as it is applied; errc::invalid with what is wrong in it.
result<lifecycle::accept_rule> compiled(const stored_rule& rule);

std::string encode(const stored_rule& stored_rule);
std::string encode(const stored_token& stored_token);
std::string encode(const stored_uses& stored_uses);

// errc::corrupt when the text is not such a record.
result<stored_rule> decode_rule(std::string_view text);
result<stored_token> decode_token(std::string_view text);
result<stored_uses> decode_uses(std::string_view text);

}  // namespace muster::fleet
