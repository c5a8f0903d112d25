#include "sim/run/nemesis.h"

#include "base/assert.h"

#include <utility>

namespace muster::sim {

nemesis::nemesis(cluster& stage, victims victims, std::map<std::string, fault_plan> plans)
    : stage_(stage), who_(std::move(victims)), everyone_(who_.engines), plans_(std::move(plans)) {
    everyone_.insert(everyone_.end(), who_.clients.begin(), who_.clients.end());
}

void nemesis::begin() {
    for (const auto& [name, plan] : plans_) think_of(name);
}

void nemesis::end() {
    ended_ = true;
    stage_.world.faults.disarm_all();
    stage_.network.heal();
    stage_.network.calm();
    for (const auto& [name, each] : stage_.processes()) {
        if (!each->running()) each->start();
    }
}

void nemesis::think_of(const std::string& name) {
    world& where = stage_.world;
    prng& random = where.random("nemesis " + name);
    const fault_plan& plan = plans_.at(name);
    const auto every = static_cast<std::uint64_t>(plan.every.count());
    const auto pause =
        monotonic::duration(static_cast<monotonic::rep>(every / 2 + random.below(every)));
    where.after(where.kernel(), pause, [this, name, &random] {
        if (ended_) return;
        const auto lasts_max = static_cast<std::uint64_t>(plans_.at(name).lasts.count());
        if (stage_.world.faults.at(name).fires()) {
            const auto lasts = static_cast<monotonic::rep>(random.below(lasts_max + 1));
            strike(name, random, monotonic::duration(lasts));
        }
        think_of(name);
    });
}

const std::string& nemesis::any_of(const std::vector<std::string>& names, prng& random) const {
    MUSTER_ASSERT(!names.empty());
    return names[random.below(names.size())];
}

// Faults of a place (disk_…) are not found here: they strike where they stand.
void nemesis::strike(const std::string& name, prng& random, monotonic::duration lasts) {
    if (name == "crash_engine") {
        crash(any_of(who_.engines, random), lasts);
    } else if (name == "crash_client") {
        crash(any_of(who_.clients, random), lasts);
    } else if (name == "change_leader") {
        stage_.at(any_of(who_.engines, random)).ask_to_stop();
    } else if (name == "pause_engine" || name == "pause_client") {
        const std::string& victim =
            any_of(name == "pause_engine" ? who_.engines : who_.clients, random);
        stage_.world.note("pause", victim, static_cast<std::uint64_t>(lasts.count()));
        stage_.at(victim).pause(lasts);
    } else if (name == "partition") {
        isolate(any_of(everyone_, random), direction::both, lasts);
    } else if (name == "partition_one_way") {
        const auto which = random.chance(500) ? direction::inbound : direction::outbound;
        isolate(any_of(everyone_, random), which, lasts);
    } else if (name == "wall_clock_step") {
        const auto hours = static_cast<std::int64_t>(random.below(49)) - 24;
        stage_.at(any_of(everyone_, random)).clock().step_wall(std::chrono::hours(hours));
    }
}

void nemesis::crash(const std::string& victim, monotonic::duration lasts) {
    process& host = stage_.at(victim);
    if (host.running()) host.crash();
    world& where = stage_.world;
    where.after(where.kernel(), lasts, [&host] {
        if (!host.running()) host.start();
    });
}

void nemesis::isolate(const std::string& victim, direction direction, monotonic::duration lasts) {
    stage_.isolate(victim, direction);
    world& where = stage_.world;
    where.after(where.kernel(), lasts, [this] { stage_.network.heal(); });
}

}  // namespace muster::sim
