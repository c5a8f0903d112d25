#pragma once

#include "core/lifecycle/decider.h"
#include "core/lifecycle/enrolment.h"
#include "ports/clock.h"
#include "services/cluster/announcer.h"
#include "services/cluster/engines.h"
#include "services/fleet/fleet.h"
#include "services/fleet/key_events.h"
#include "services/fleet/number_supply.h"
#include "services/fleet/system_table.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace muster::fleet {

// How a change of many systems ended.
struct tally {
    std::size_t changed = 0;
    std::size_t unchanged = 0;
    std::size_t failed = 0;
    std::vector<std::string> reasons = {};  // of the first that failed

    static constexpr std::size_t reasons_max = 10;
    void count_failure(const error& why);
    void add(const tally& part);

    friend bool operator==(const tally&, const tally&) = default;
};

// How far it is, for others to see while it runs.
struct progress {
    std::atomic<std::size_t> done = 0;
    std::atomic<std::size_t> failed = 0;
};

// Performs what admins decide about systems (core/lifecycle/enrolment.h) on the ledger, in batches
// and without locks: a record that somebody else changed meanwhile is looked at again. Thread-safe;
// many may work at the same time on any servers.
//
// Where a decider may decide is looked at in the record that is changed; a system that lies
// elsewhere by then counts as failed.
//
// An error means that the rest was not tried; what was done stays done, and the same call again
// does what is left.
class registrar {
public:
    struct surroundings {
        cluster::engines engines;
        fleet& known;
        cluster::announcer& bell;
        clock& time;
        key_listener told = nullptr;
    };
    using targets = std::vector<fingerprint>;

    explicit registrar(surroundings around);

    enum class newcomers {
        replace,  // a new key of a known machine takes the old one's place
        add,      // it becomes a system of its own
    };
    async<tally> accept(
        targets which, lifecycle::terms given, newcomers how, progress* seen = nullptr);
    async<tally> reject(targets which, lifecycle::decider by, progress* seen = nullptr);
    async<tally> remove(targets which, lifecycle::decider by, progress* seen = nullptr);
    async<tally> unregister(targets which, lifecycle::decider by, progress* seen = nullptr);
    async<tally> move(
        targets which, std::string zone, lifecycle::decider by, progress* seen = nullptr);
    async<tally> relabel(
        targets which,
        lifecycle::label_change wanted,
        lifecycle::decider by,
        progress* seen = nullptr);
    async<tally> evict(targets which);

    // Deletes old keys whose place was taken, should the server that accepted the new one have
    // stopped in between.
    async<void> settle_replacements();

    const surroundings& around() const { return around_; }
    number_supply& numbers() { return numbers_; }
    system_table& table() { return table_; }

private:
    using known_record = std::optional<system_record>;
    using rule = std::function<lifecycle::next_record(const known_record&, const fingerprint&)>;
    enum class from { memory, ledger };
    struct deed {
        rule decide;
        std::string_view event;
        lifecycle::decider by;
        from start = from::memory;  // where the first attempt looks
    };
    struct acceptance {
        lifecycle::terms given;
        newcomers how = newcomers::replace;
        std::set<system_number> contested;  // whose place more than one would take
    };
    struct attempt {
        tally counted;
        std::vector<system_record> written;
        targets contested;  // somebody else was faster
    };

    static lifecycle::next_record decided(
        const deed& what, const known_record& known, const fingerprint& print);
    async<tally> change(targets which, deed what, progress* seen);
    async<tally> change_batch(targets which, deed what);
    async<attempt> try_batch(targets which, deed what, bool from_memory);
    async<tally> accept_batch(targets which, acceptance what);
    lifecycle::next_record accepted_record(
        const system_record& known,
        const acceptance& what,
        system_number number,
        wall_time now) const;
    std::set<system_number> contested_seats(const targets& newcomers) const;
    async<void> retire(std::vector<system_record> newcomers, std::string by);

    surroundings around_;
    system_table table_;
    number_supply numbers_;
};

}  // namespace muster::fleet
