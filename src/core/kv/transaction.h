#pragma once

#include "core/kv/entry.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace muster::kv {

// Conditions of a transaction.
struct absent {
    std::string key;
};
struct present {
    std::string key;
};
struct unchanged {  // compare-and-set: the key exists and was last written at this revision
    std::string key;
    revision modified;
};
struct value_is {
    std::string key;
    std::string value;
};
using condition = std::variant<absent, present, unchanged, value_is>;

// Operations of a transaction, all at one revision.
struct put {
    std::string key;
    std::string value;
    lease_id lease = {};
};
struct erase {
    std::string key;
};
struct erase_prefix {
    std::string prefix;
};
using operation = std::variant<put, erase, erase_prefix>;

// Performs all operations atomically if all conditions are met, otherwise none. No two operations
// may change the same key.
struct transaction {
    std::vector<condition> when = {};
    std::vector<operation> then = {};
};

struct commit_result {
    bool committed = false;
    revision at = {};  // of the commit, or of the refusal
    // When refused: the existing entries that the conditions name, in key order, each once.
    std::vector<entry> current = {};
};

// Every engine supports these with its default settings.
struct limits {
    static constexpr std::size_t key_bytes_max = 1024;
    static constexpr std::size_t value_bytes_max = 512 * std::size_t{1024};
    static constexpr std::size_t transaction_bytes_max = 1024 * std::size_t{1024};
    static constexpr std::size_t conditions_max = 128;
    static constexpr std::size_t operations_max = 128;
    static constexpr std::size_t page_entries_max = 10'000;
    static constexpr std::size_t leases_max = 100'000;
    static constexpr std::chrono::seconds lease_ttl_min = std::chrono::seconds(1);
    static constexpr std::chrono::seconds lease_ttl_max = std::chrono::hours(24 * 30);
};

}  // namespace muster::kv
