#pragma once

#include "core/lifecycle/decider.h"
#include "core/lifecycle/enrolment.h"
#include "ports/clock.h"
#include "services/cluster/bus_publisher.h"
#include "services/cluster/engines.h"
#include "services/fleet/key_events.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_number_allocator.h"
#include "services/fleet/system_store.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace muster::fleet {

// How a change of many systems ended.
struct bulk_result {
    std::size_t changed = 0;
    std::size_t unchanged = 0;
    std::size_t failed = 0;
    std::vector<std::string> reasons = {};  // of the first that failed

    static constexpr std::size_t reasons_max = 10;
    void count_failure(const error& why);
    void add(const bulk_result& part);

    friend bool operator==(const bulk_result&, const bulk_result&) = default;
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
class system_service {
public:
    struct dependencies {
        cluster::engines engines;
        system_cache& systems;
        cluster::bus_publisher& bus;
        muster::clock& clock;
        key_listener* listener = nullptr;
    };
    using targets = std::vector<fingerprint>;

    explicit system_service(dependencies deps);

    enum class duplicate_machine_policy {
        replace,  // a new key of a known machine takes the old one's place
        add,      // it becomes a system of its own
    };
    async<bulk_result> accept(
        targets targets,
        lifecycle::terms terms,
        duplicate_machine_policy how,
        progress* progress = nullptr);
    async<bulk_result> reject(targets targets, lifecycle::decider by, progress* progress = nullptr);
    async<bulk_result> remove(targets targets, lifecycle::decider by, progress* progress = nullptr);
    async<bulk_result> unregister(
        targets targets, lifecycle::decider by, progress* progress = nullptr);
    async<bulk_result> move(
        targets targets, std::string zone, lifecycle::decider by, progress* progress = nullptr);
    async<bulk_result> relabel(
        targets targets,
        lifecycle::label_change label_change,
        lifecycle::decider by,
        progress* progress = nullptr);
    async<bulk_result> evict(targets targets);

    // Deletes old keys whose place was taken, should the server that accepted the new one have
    // stopped in between.
    async<void> settle_replacements();

    const dependencies& around() const { return deps_; }
    system_number_allocator& numbers() { return numbers_; }
    system_store& table() { return table_; }

private:
    using known_record = std::optional<system_record>;
    using rule = std::function<lifecycle::next_record(const known_record&, const fingerprint&)>;
    enum class from { memory, ledger };
    struct system_change {
        rule decide;
        std::string_view event;
        lifecycle::decider by;
        from start = from::memory;  // where the first attempt looks
    };
    struct acceptance {
        lifecycle::terms given;
        duplicate_machine_policy how = duplicate_machine_policy::replace;
        std::set<system_number> contested;  // whose place more than one would take
    };
    struct attempt {
        bulk_result counted;
        std::vector<system_record> written;
        targets contested;  // somebody else was faster
    };

    static lifecycle::next_record decided(
        const system_change& system_change, const known_record& existing, const fingerprint& print);
    async<bulk_result> change(targets targets, system_change system_change, progress* progress);
    async<bulk_result> change_batch(targets targets, system_change system_change);
    async<attempt> try_batch(targets targets, system_change system_change, bool from_memory);
    async<bulk_result> accept_batch(targets targets, acceptance acceptance);
    lifecycle::next_record accepted_record(
        const system_record& system,
        const acceptance& acceptance,
        system_number number,
        wall_time now) const;
    std::set<system_number> contested_seats(const targets& duplicate_machine_policy) const;
    async<void> retire(std::vector<system_record> duplicate_machine_policy, std::string by);

    dependencies deps_;
    system_store table_;
    system_number_allocator numbers_;
};

}  // namespace muster::fleet
