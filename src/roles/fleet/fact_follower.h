#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "roles/fleet/search.h"
#include "runtime/log.h"

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
class fact_follower {
public:
    struct options {
        std::size_t page_rows = 500;  // documents may be large
        std::chrono::milliseconds patience{2'000};
    };
    struct surroundings {
        ledger& records;
        fleet& known;
        search& fed;
        clock& time;
        runtime::logger& log;
    };

    // To be made before anything is applied to the fleet.
    fact_follower(surroundings around, options how);
    fact_follower(const fact_follower&) = delete;
    fact_follower& operator=(const fact_follower&) = delete;

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // Reads what is new now: all of it, once the fleet itself has been read. For tests, too.
    async<void> catch_up();

private:
    async<bool> read_page();  // whether there is more
    async<void> read_newcomers();
    async<void> wait_for_news();
    result<std::int64_t> feed(const std::vector<table::row>& rows);

    surroundings around_;
    options how_;
    std::int64_t read_up_to_ = 0;

    std::mutex guard_;
    std::set<fingerprint> newcomers_;  // accepted since their facts went by
};

}  // namespace muster::fleet
