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

// Brings what systems say of themselves from the ledger's table `facts` into the search, a moment
// behind it. Facts of a system that is accepted later are fetched then. Comes back by itself after
// the ledger was away. Lives on one strand.
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

    // To be made before anything is applied to the fleet.
    facts_follower(dependencies deps, options options);
    facts_follower(const facts_follower&) = delete;
    facts_follower& operator=(const facts_follower&) = delete;

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // Reads what is new now: all of it, once the fleet itself has been read. For tests, too.
    async<void> catch_up();

    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

private:
    // What can be searched of a system's facts.
    struct searchable_facts {
        fingerprint print;
        std::vector<targeting::fact> texts;
    };

    static result<searchable_facts> decode(const table::row& cells);
    void apply(std::vector<searchable_facts> rows);
    async<void> read_newcomers();

    dependencies deps_;
    options options_;

    std::mutex guard_;
    std::set<fingerprint> newcomers_;  // accepted since their facts went by
    runtime::table_follower<searchable_facts> rows_;
};

}  // namespace muster::fleet
