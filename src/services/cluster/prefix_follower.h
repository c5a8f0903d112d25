#pragma once

#include "core/kv/change.h"
#include "core/kv/entry.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace muster::cluster {

// Follows the keys under one prefix of the metastore for as long as it runs: reads them all, then
// hears of every change. What it missed, because the history was compacted, and what it may have
// missed without knowing, it makes good by reading everything again. While the metastore is away
// nothing is told. Lives on one strand.
class prefix_follower {
public:
    struct hooks {
        // All there is, as of a revision: what was told before and is not among it is gone.
        std::function<void(std::vector<kv::entry> all, kv::revision at)> read;
        std::function<void(const kv::change_batch& batch)> changed;
    };
    struct options {
        std::string prefix;
        std::string what;  // for the log: "the topology"
        std::size_t page_entries = 1'000;
        monotonic::duration reconcile_interval = std::chrono::minutes(5);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };

    prefix_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        runtime::logger& log,
        hooks tell,
        options options)
        : metastore_(metastore),
          clock_(clock),
          log_(log),
          tell_(std::move(tell)),
          options_(std::move(options)) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // Reads everything once, now. For tests; run() does it by itself.
    async<kv::revision> read_all();

    // Whether everything has been read since the start. From any thread.
    bool complete() const { return complete_; }

private:
    async<void> follow_from(kv::revision next);

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    hooks tell_;
    options options_;
    std::atomic<bool> complete_ = false;
};

}  // namespace muster::cluster
