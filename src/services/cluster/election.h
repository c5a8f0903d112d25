#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/lease_guard.h"

#include <chrono>
#include <string>

namespace muster::cluster {

// Competes for leadership: the server that holds a key under a lease leads. It competes again after
// it lost.
//
// A leader adds `leadership_condition()` as a condition to its writes, so a replaced leader changes
// nothing. It also stops leading by itself before its lease can have ended. Not thread-safe; call
// from one strand.
class election {
public:
    struct options {
        std::string key;
        std::string candidate;  // name of this server, shown to operators
        // Key that is written on winning. A follower of the keys beside it that has seen
        // won_revision() has seen everything that was decided before this term.
        std::string term_key;
        std::chrono::seconds ttl{5};
        monotonic::duration retry_interval = std::chrono::seconds(1);
    };

    election(
        muster::metastore& metastore, muster::clock& clock, runtime::logger& log, options options)
        : metastore_(metastore), clock_(clock), log_(log), options_(std::move(options)) {}

    // Wakes `reader` on the strand of run() after leadership is won or lost.
    void wake_on_change(runtime::wakeup& reader) { reader_ = &reader; }

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    bool is_leader() const { return lease_ && guard_.holds(clock_.now()); }

    // The condition under which writes of this term are valid.
    kv::condition leadership_condition() const { return kv::value_is{options_.key, value_}; }

    kv::revision won_revision() const { return won_revision_; }

    // Releases leadership at once. Call it after run() has ended.
    async<void> leave();

private:
    async<bool> try_to_win();
    async<void> acquire(kv::lease_id lease, instant sent_at);
    async<void> hold();

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
    runtime::wakeup* reader_ = nullptr;
    membership::lease_guard guard_;
    kv::lease_id lease_;
    std::string value_;
    kv::revision won_revision_;
};

// The name of the leader, from the value of the election key.
std::string leader_of(std::string_view value);

}  // namespace muster::cluster
