#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/lease_guard.h"

#include <chrono>
#include <string>

namespace muster::cluster {

// Competes for a key that is held under a lease: whoever holds it leads. Comes back by itself.
//
// A leader's writes carry `claim()` as a condition, so one who was replaced changes nothing any
// more; and it stops by itself before its lease can have ended. Lives on one strand.
class election {
public:
    struct options {
        std::string key;
        std::string candidate;  // who we are; told to people
        // Written when it wins: whoever follows the keys around it and has seen won_at() has seen
        // all that was decided before this term.
        std::string mark;
        std::chrono::seconds ttl{5};
        monotonic::duration look_interval = std::chrono::seconds(1);
    };

    election(
        muster::metastore& metastore, muster::clock& clock, runtime::logger& log, options options)
        : metastore_(metastore), clock_(clock), log_(log), options_(std::move(options)) {}

    // Called on the strand of run() when it won and when it lost.
    void wake_on_change(runtime::wakeup& reader) { reader_ = &reader; }

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    bool leads() const { return lease_ && guard_.holds(clock_.now()); }

    // What must still stand in the metastore for this term's writes to be good.
    kv::condition claim() const { return kv::value_is{options_.key, value_}; }

    kv::revision won_at() const { return won_at_; }

    // Lets another one lead at once. To be called after run() has ended.
    async<void> leave();

private:
    async<bool> try_to_win();
    async<void> take(kv::lease_id lease, instant sent);
    async<void> stay();

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
    runtime::wakeup* reader_ = nullptr;
    membership::lease_guard guard_;
    kv::lease_id lease_;
    std::string value_;
    kv::revision won_at_;
};

// Who leads, from what stands at the key.
std::string leader_of(std::string_view value);

}  // namespace muster::cluster
