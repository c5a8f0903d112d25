#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "services/revision/random_id.h"
#include "services/revision/record.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::revision {

// Cluster-wide lock for changes of common data: a metastore key under a lease.
//
// The first edit session elects its server as the leader; the last one releases the lock. A change
// without a session takes a turn: the same key, for the time of the change. Every write of a holder
// has its claim as a condition, so of two servers that believe to hold the lock only one writes.
// Thread-safe.
class edit_lock {
public:
    struct dependencies {
        muster::metastore& metastore;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        std::string server;
        std::string address;  // of this server
        std::chrono::seconds ttl{10};
        monotonic::duration timeout = std::chrono::seconds(5);  // for a turn
        id_generator names = random_id;
    };
    struct claim {
        std::string value;
        std::int64_t term = 0;
        kv::revision revision = {};  // of its write: later claims have larger ones

        kv::condition holds() const;
    };
    // The leader: this server with its claim, or another server.
    struct leadership {
        std::optional<claim> own = {};
        std::optional<leader_record> other = {};
        bool elected = false;  // by this call
    };

    edit_lock(dependencies deps, options options);

    // Elects this server if there is no leader. errc::unavailable when turns of others take too
    // long.
    async<leadership> lead();

    // The claim of this server if it leads. Does not elect a leader.
    async<std::optional<claim>> find_own_claim();

    // Takes the lock for one change. First checks the current draft, and returns the error of the
    // check.
    using check = std::function<result<void>(const std::optional<draft>& current)>;
    async<claim> take_turn(std::string user, check allowed);

    // Releases the lock together with further writes. False: the lock was lost before, and nothing
    // was written.
    async<bool> release(claim held, std::vector<kv::operation> writes = {});

    // Releases the lock later, in the background.
    void release_later(const claim& held);

    // Renews the lease while it is needed. Runs until it is cancelled.
    boost::asio::awaitable<void> run();
    // Releases everything at a planned stop.
    async<void> leave();

private:
    async<kv::lease_id> acquire_lease();
    void on_lease_lost(kv::lease_id lease);
    async<std::optional<claim>> try_to_lead();
    // The revision of the claim; empty if another server was faster.
    async<std::optional<kv::revision>> put_claim(
        std::vector<kv::condition> conditions,
        leader_record leader,
        std::vector<kv::operation> operations);
    leader_record own_record(leader_record::purpose purpose, std::string user) const;
    async<void> release_pending();
    // Removes a claim of an earlier process of this server. True: it was removed.
    async<bool> clear_predecessor(kv::entry entry);
    async<void> renew_lease();

    dependencies deps_;
    options options_;
    std::mutex mutex_;
    kv::lease_id lease_;
    std::set<std::string> leader_claims_;     // by which this server leads, or may lead
    std::set<std::string> turn_claims_;       // of its turns
    std::set<std::string> pending_releases_;  // claims that are not released yet
    instant last_use_{};
};

}  // namespace muster::revision
