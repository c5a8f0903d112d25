#pragma once

#include "core/model/chain.h"
#include "ports/clock.h"
#include "ports/ledger.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::compatibility {

// One action of a chain on one system.
struct chain_entry {
    std::int64_t number = 0;  // of the action
    std::int64_t system = 0;
    std::string name;
    std::string function;
    std::string arguments;             // a JSON object
    std::int64_t timeout_seconds = 0;  // zero: default
    wall_time added;

    friend bool operator==(const chain_entry&, const chain_entry&) = default;
};

// An action chain that a user composes: a row of the table `action_chains` of the ledger.
// Scheduling removes it.
struct action_chain {
    std::string owner;
    std::string label;
    std::int64_t number = 0;
    std::vector<chain_entry> entries = {};
    bool scheduling = false;  // jobs are being created: it cannot be changed
    std::int64_t version = 0;
    wall_time changed;

    friend bool operator==(const action_chain&, const action_chain&) = default;
};

struct action_chain_limits {
    static constexpr std::size_t chains_max = 200;                     // of one user
    static constexpr std::size_t entries_max = 1'000;                  // of one chain
    static constexpr std::size_t steps_max = chain_limits::steps_max;  // on one system
    static constexpr std::size_t document_bytes_max = std::size_t{4} * 1024 * 1024;
};

std::string encode(const action_chain& chain);
// Returns the chain without owner, label, version and time of change. errc::corrupt
result<action_chain> decode_chain(std::string_view document);

// Reads and writes action chains. Thread-safe.
class action_chain_store {
public:
    action_chain_store(muster::ledger& ledger, muster::clock& clock)
        : ledger_(ledger), clock_(clock) {}

    async<std::vector<action_chain>> list(std::string owner);
    async<action_chain> find(std::string owner, std::string label);  // errc::not_found

    // errc::conflict when the label exists.
    async<void> add(action_chain chain);
    // Reads, changes and writes a chain; retries after a concurrent change.
    using update_function = std::function<result<action_chain>(action_chain)>;
    async<action_chain> change(std::string owner, std::string label, update_function update);
    async<void> remove(std::string owner, std::string label);
    // errc::conflict when the new label exists.
    async<void> rename(std::string owner, std::string old_label, std::string new_label);

private:
    struct stored_chain {
        action_chain chain;
        bool removed = false;
    };
    static result<stored_chain> decode(const table::row& row);
    async<std::vector<stored_chain>> read(std::string owner, std::string label);
    async<std::vector<stored_chain>> read_all(std::string owner);
    // Returns false after a concurrent change.
    async<bool> write(action_chain chain, std::int64_t version, std::string document);
    async<void> erase_removed(std::vector<stored_chain> chains);

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::compatibility
