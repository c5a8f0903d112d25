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

// Who may change common data: one at a time in the whole cluster, by a key under a lease.
//
// A leader is elected when somebody begins to edit, on the server that was asked, and goes when
// nobody edits any more. A change without a session takes a turn: the same key, for the time of the
// change. Every write of a holder carries its claim as a condition, so that of two who both believe
// to hold it only one writes. Thread-safe.
class edit_lock {
public:
    struct dependencies {
        muster::metastore& metastore;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        std::string server;
        std::string address;  // where others reach it
        std::chrono::seconds ttl{10};
        monotonic::duration timeout = std::chrono::seconds(5);  // for a turn
        namer names = random_name;
    };
    struct claim {
        std::string value;
        std::int64_t term = 0;
        kv::revision at = {};  // when it was made: later claims have larger ones

        kv::condition holds() const;
    };
    // Here, with the claim, or at another server.
    struct seat {
        std::optional<claim> own = {};
        std::optional<leader_record> other = {};
        bool elected = false;  // just now
    };

    edit_lock(dependencies deps, options options);

    // Elects this server if nobody leads. errc::unavailable when others' turns take too long.
    async<seat> lead();

    // This server's claim, if it leads now; elects nobody.
    async<std::optional<claim>> held();

    // Looks at the draft, as it is, before it takes its turn; what that refuses is refused.
    using check = std::function<result<void>(const std::optional<draft>& now)>;
    async<claim> take_turn(std::string user, check allowed);

    // Gives the key back, with what else is to be written; false: it was lost before, and nothing
    // was written.
    async<bool> let_go(claim held, std::vector<kv::operation> with = {});

    // The same, later and by itself: for whoever cannot wait for it.
    void drop(const claim& held);

    // Keeps the lease while it is needed. Until it is cancelled.
    boost::asio::awaitable<void> run();
    // Gives everything back at a planned stop.
    async<void> leave();

private:
    async<kv::lease_id> lease();
    void lost_lease(kv::lease_id lease_id);
    async<std::optional<claim>> try_to_lead();
    // When it was made; nothing: somebody else was faster.
    async<std::optional<kv::revision>> put_claim(
        std::vector<kv::condition> when, leader_record leader, std::vector<kv::operation> also);
    leader_record own_record(leader_record::purpose purpose, std::string user) const;
    async<void> let_go_of_strays();
    async<bool> clear_predecessor(kv::entry there);
    async<void> stay();

    dependencies deps_;
    options options_;
    std::mutex guard_;
    kv::lease_id lease_;
    std::set<std::string> leads_with_;  // the values by which this server leads, or may
    std::set<std::string> turns_;       // those of its turns
    std::set<std::string> strays_;      // claims that could not be given back yet
    instant used_{};
};

}  // namespace muster::revision
