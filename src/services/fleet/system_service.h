#pragma once

#include "core/lifecycle/actor_scope.h"
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

// The result of a change of many systems.
struct bulk_result {
    std::size_t changed = 0;
    std::size_t unchanged = 0;
    std::size_t failed = 0;
    std::vector<std::string> reasons = {};  // of the first failures

    static constexpr std::size_t reasons_max = 10;
    void count_failure(const muster::error& error);
    void add(const bulk_result& part);

    friend bool operator==(const bulk_result&, const bulk_result&) = default;
};

// Progress of a change, readable while it runs.
struct progress {
    std::atomic<std::size_t> done = 0;
    std::atomic<std::size_t> failed = 0;
};

// Applies decisions of admins on systems (core/lifecycle/enrolment.h) to the ledger, in batches and
// without locks. A record that changed meanwhile is read and decided again. Thread-safe; several
// servers may work at the same time.
//
// The rights of a decider are checked against the record that is changed. A system that has moved
// out of the permitted zones counts as failed.
//
// An error means that the rest was not attempted. Finished changes stay, and the same call again
// continues with the rest.
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
        replace,  // a new key of a known machine replaces the old one
        add,      // it becomes a system of its own
    };
    async<bulk_result> accept(
        targets targets,
        lifecycle::acceptance_options terms,
        duplicate_machine_policy duplicates,
        progress* progress = nullptr);
    async<bulk_result> reject(
        targets targets, lifecycle::actor_scope by, progress* progress = nullptr);
    async<bulk_result> remove(
        targets targets, lifecycle::actor_scope by, progress* progress = nullptr);
    async<bulk_result> unregister(
        targets targets, lifecycle::actor_scope by, progress* progress = nullptr);
    async<bulk_result> move(
        targets targets, std::string zone, lifecycle::actor_scope by, progress* progress = nullptr);
    async<bulk_result> relabel(
        targets targets,
        lifecycle::label_change label_change,
        lifecycle::actor_scope by,
        progress* progress = nullptr);
    async<bulk_result> evict(targets targets);

    // Deletes replaced keys that a stopped server left behind after it accepted their successors.
    async<void> finish_replacements();

    const dependencies& deps() const { return deps_; }
    system_number_allocator& numbers() { return numbers_; }
    system_store& store() { return store_; }

private:
    using existing_record = std::optional<system_record>;
    using decision =
        std::function<lifecycle::next_record(const existing_record&, const fingerprint&)>;
    enum class source { cache, ledger };
    struct system_change {
        decision decide;
        std::string_view event;
        lifecycle::actor_scope by;
        source first_source = source::cache;  // of the first attempt
    };
    struct acceptance {
        lifecycle::acceptance_options terms;
        duplicate_machine_policy duplicates = duplicate_machine_policy::replace;
        std::set<system_number> contested;  // numbers that several systems would take over
    };
    struct attempt {
        bulk_result result;
        std::vector<system_record> written;
        targets contested;  // changed concurrently; to be tried again
    };

    static lifecycle::next_record decide_next(
        const system_change& change, const existing_record& existing, const fingerprint& print);
    async<bulk_result> change(targets targets, system_change change, progress* progress);
    async<bulk_result> change_batch(targets targets, system_change change);
    async<attempt> try_batch(targets targets, system_change change, source source);
    async<bulk_result> accept_batch(targets targets, acceptance acceptance);
    lifecycle::next_record accepted_record(
        const system_record& system,
        const acceptance& acceptance,
        system_number number,
        wall_time now) const;
    std::set<system_number> find_contested(const targets& targets) const;
    async<void> remove_replaced(std::vector<system_record> accepted, std::string by);

    dependencies deps_;
    system_store store_;
    system_number_allocator numbers_;
};

}  // namespace muster::fleet
