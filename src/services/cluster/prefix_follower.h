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

// Follows the keys under one prefix of the metastore: reads all of them, then reports every change.
// It reads everything again after a compaction, and periodically in case it missed a change. While
// the metastore is unavailable it reports nothing.
//
// Not thread-safe, except for complete(); call from one strand.
class prefix_follower {
public:
    struct hooks {
        // All entries at a revision. An entry reported before and absent here was erased.
        std::function<void(std::vector<kv::entry> entries, kv::revision revision)> on_read;
        std::function<void(const kv::change_batch& batch)> on_change;
    };
    struct options {
        std::string prefix;
        std::string subject;  // for the log: "topology"
        std::size_t page_entries = 1'000;
        monotonic::duration reconcile_interval = std::chrono::minutes(5);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };

    prefix_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        runtime::logger& log,
        prefix_follower::hooks hooks,
        options options)
        : metastore_(metastore),
          clock_(clock),
          log_(log),
          hooks_(std::move(hooks)),
          options_(std::move(options)) {}

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    // Reads everything once. For tests; run() does it by itself.
    async<kv::revision> read_all();

    // Whether everything was read at least once since the start. Thread-safe.
    bool complete() const { return complete_; }

private:
    async<void> follow_from(kv::revision next);

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    prefix_follower::hooks hooks_;
    options options_;
    std::atomic<bool> complete_ = false;
};

}  // namespace muster::cluster
