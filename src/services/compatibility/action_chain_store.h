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

// One thing that a chain does on one system.
struct chain_entry {
    std::int64_t number = 0;  // of the action
    std::int64_t system = 0;
    std::string name;
    std::string function;
    std::string arguments;             // a JSON object
    std::int64_t timeout_seconds = 0;  // zero: as usual
    wall_time added;

    friend bool operator==(const chain_entry&, const chain_entry&) = default;
};

// A chain that somebody puts together: a row of the ledger's table `action_chains`. It is gone when
// it was scheduled.
struct action_chain {
    std::string owner;
    std::string label;
    std::int64_t number = 0;
    std::vector<chain_entry> entries = {};
    bool scheduling = false;  // somebody makes jobs of it: nothing is changed any more
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

std::string encode(const action_chain& action_chain);
// Without its owner, label, version and time of change. errc::corrupt
result<action_chain> decode_chain(std::string_view document);

// Where chains are kept. Thread-safe.
class action_chain_store {
public:
    action_chain_store(muster::ledger& ledger, muster::clock& clock)
        : ledger_(ledger), clock_(clock) {}

    async<std::vector<action_chain>> list(std::string owner);
    async<action_chain> find(std::string owner, std::string label);  // errc::not_found

    // errc::conflict when there is one of this label.
    async<void> add(action_chain action_chain);
    // Reads, changes and writes one; tries again when somebody else was faster.
    using change_of_chain = std::function<result<action_chain>(action_chain)>;
    async<action_chain> change(std::string owner, std::string label, change_of_chain change);
    async<void> remove(std::string owner, std::string label);
    // errc::conflict when there is one of the new label.
    async<void> rename(std::string owner, std::string from, std::string to);

private:
    struct stored {
        action_chain what;
        bool removed = false;
    };
    static result<stored> decode(const table::row& cells);
    async<std::vector<stored>> read(std::string owner, std::string label);
    async<std::vector<stored>> read_all(std::string owner);
    // False: somebody else was faster.
    async<bool> write(action_chain action_chain, std::int64_t version, std::string document);
    async<void> sweep(std::vector<stored> all);

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::compatibility
