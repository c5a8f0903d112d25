#pragma once

#include "core/model/fingerprint.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/fleet/search.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

namespace muster::fleet {

// Follows the table `facts` of the ledger into the search. It fetches the facts of systems that are
// accepted later. It retries by itself after an outage of the ledger. Not thread-safe; call from
// one strand.
class facts_follower {
public:
    struct options {
        std::size_t page_rows = 500;  // documents may be large
        std::chrono::milliseconds timeout{2'000};
    };
    struct dependencies {
        muster::ledger& ledger;
        system_cache& systems;
        search& search;
        muster::clock& clock;
        runtime::logger& log;
    };

    // Create it before anything is applied to the system cache.
    facts_follower(dependencies deps, options options);
    facts_follower(const facts_follower&) = delete;
    facts_follower& operator=(const facts_follower&) = delete;

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    // Reads all new rows, once the system cache is complete. Also for tests.
    async<void> refresh();

    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

private:
    // The searchable facts of one system.
    struct searchable_facts {
        fingerprint print;
        std::vector<targeting::fact> texts;
    };

    static result<searchable_facts> decode(const table::row& row);
    void apply(std::vector<searchable_facts> rows);
    async<void> read_accepted();

    dependencies deps_;
    options options_;

    std::mutex mutex_;
    std::set<fingerprint> accepted_;  // accepted after their facts were read
    runtime::table_follower<searchable_facts> rows_;
};

}  // namespace muster::fleet
