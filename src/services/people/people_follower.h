#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "services/cluster/prefix_follower.h"
#include "services/people/people_snapshot.h"

#include <atomic>
#include <chrono>
#include <cstddef>

namespace muster::people {

// Maximum counts; more are refused on creation.
struct limits {
    static constexpr std::size_t users_max = 10'000;
    static constexpr std::size_t roles_max = 200;
    static constexpr std::size_t grants_max = 64;  // of a user, of a token
    static constexpr std::size_t tokens_max = 20'000;
    static constexpr std::size_t tokens_per_user_max = 100;
    static constexpr std::size_t sessions_max = 20'000;
    static constexpr std::size_t sessions_per_user_max = 100;  // the least recently used one ends
};

// Keeps a people_cache equal to the metastore, so that callers are identified without an engine. An
// unreadable record is logged and ignored, so it admits nobody. Not thread-safe, except for
// complete() and skipped(); call from one strand.
class people_follower {
public:
    struct options {
        monotonic::duration reconcile_interval = std::chrono::minutes(5);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };

    people_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        people_cache& cache,
        runtime::logger& log,
        options options);
    people_follower(const people_follower&) = delete;
    people_follower& operator=(const people_follower&) = delete;

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    // Reads everything once. For callers without run(), such as tests.
    async<void> refresh();

    // Whether everything was read at least once since the start. Thread-safe.
    bool complete() const;

    // Number of unreadable records. Thread-safe.
    std::uint64_t skipped() const { return skipped_; }

private:
    template <class Record>
    cluster::prefix_follower::hooks hooks_for(
        std::shared_ptr<const records<Record>> people_snapshot::* part,
        std::string_view prefix,
        result<Record> (*decode)(std::string_view));
    template <class Record>
    void apply_entry(
        records<Record>& records_by_name,
        std::string_view prefix,
        result<Record> (*decode)(std::string_view),
        const kv::entry& entry);
    void publish(people_snapshot next);

    people_cache& cache_;
    runtime::logger& log_;
    std::atomic<std::uint64_t> skipped_ = 0;
    cluster::prefix_follower users_;
    cluster::prefix_follower roles_;
    cluster::prefix_follower tokens_;
    cluster::prefix_follower sessions_;
};

}  // namespace muster::people
