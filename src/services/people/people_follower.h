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

// How many there can be; more are refused when they are made.
struct limits {
    static constexpr std::size_t users_max = 10'000;
    static constexpr std::size_t roles_max = 200;
    static constexpr std::size_t grants_max = 64;  // of a user, of a token
    static constexpr std::size_t tokens_max = 20'000;
    static constexpr std::size_t tokens_per_user_max = 100;
    static constexpr std::size_t sessions_max = 20'000;
    static constexpr std::size_t sessions_per_user_max = 100;  // the one longest unseen goes
};

// Keeps a people_cache as new as the metastore, so that who asks is known without asking an engine.
// A record that cannot be read is told in the log and counts as not there: it lets nobody in.
// Lives on one strand.
class people_follower {
public:
    struct options {
        monotonic::duration reconcile_interval = std::chrono::minutes(5);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };

    people_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        people_cache& cell,
        runtime::logger& log,
        options options);
    people_follower(const people_follower&) = delete;
    people_follower& operator=(const people_follower&) = delete;

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    // Reads everything once, now. For whoever has no run() going, such as tests.
    async<void> catch_up();

    // Whether everything has been read since the start. From any thread.
    bool complete() const;

    // Records that could not be read. From any thread.
    std::uint64_t skipped() const { return skipped_; }

private:
    template <class Record>
    cluster::prefix_follower::hooks hooks_for(
        std::shared_ptr<const records<Record>> people_snapshot::* part,
        std::string_view prefix,
        result<Record> (*decode)(std::string_view));
    template <class Record>
    void take(
        records<Record>& into,
        std::string_view prefix,
        result<Record> (*decode)(std::string_view),
        const kv::entry& from);
    void publish(people_snapshot next);

    people_cache& cell_;
    runtime::logger& log_;
    std::atomic<std::uint64_t> skipped_ = 0;
    cluster::prefix_follower users_;
    cluster::prefix_follower roles_;
    cluster::prefix_follower tokens_;
    cluster::prefix_follower sessions_;
};

}  // namespace muster::people
