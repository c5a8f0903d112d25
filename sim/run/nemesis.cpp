#include "sim/run/nemesis.h"

#include "base/assert.h"

#include <utility>

namespace muster::sim {

nemesis::nemesis(sim::cluster& cluster, victims victims, std::map<std::string, fault_plan> plans)
    : cluster_(cluster),
      victims_(std::move(victims)),
      processes_(victims_.engines),
      plans_(std::move(plans)) {
    processes_.insert(processes_.end(), victims_.clients.begin(), victims_.clients.end());
}

void nemesis::begin() {
    for (const auto& [name, plan] : plans_) schedule_fault(name);
}

void nemesis::end() {
    ended_ = true;
    cluster_.simulation.faults.disarm_all();
    cluster_.network.heal();
    cluster_.network.calm();
    for (const auto& [name, process] : cluster_.processes()) {
        if (!process->running()) process->start();
    }
}

void nemesis::schedule_fault(const std::string& name) {
    sim::simulation& simulation = cluster_.simulation;
    prng& random = simulation.random("nemesis " + name);
    const fault_plan& plan = plans_.at(name);
    const auto every = static_cast<std::uint64_t>(plan.every.count());
    const auto pause =
        monotonic::duration(static_cast<monotonic::rep>(every / 2 + random.below(every)));
    simulation.after(simulation.kernel(), pause, [this, name, &random] {
        if (ended_) return;
        const auto lasts_max = static_cast<std::uint64_t>(plans_.at(name).lasts.count());
        if (cluster_.simulation.faults.at(name).fires()) {
            const auto lasts = static_cast<monotonic::rep>(random.below(lasts_max + 1));
            inject(name, random, monotonic::duration(lasts));
        }
        schedule_fault(name);
    });
}

const std::string& nemesis::pick(const std::vector<std::string>& names, prng& random) const {
    MUSTER_ASSERT(!names.empty());
    return names[random.below(names.size())];
}

// The disk injects its own faults (disk_…), so they are not handled here.
void nemesis::inject(const std::string& name, prng& random, monotonic::duration lasts) {
    if (name == "crash_engine") {
        crash(pick(victims_.engines, random), lasts);
    } else if (name == "crash_client") {
        crash(pick(victims_.clients, random), lasts);
    } else if (name == "change_leader") {
        cluster_.at(pick(victims_.engines, random)).ask_to_stop();
    } else if (name == "pause_engine" || name == "pause_client") {
        const std::string& victim =
            pick(name == "pause_engine" ? victims_.engines : victims_.clients, random);
        cluster_.simulation.note("pause", victim, static_cast<std::uint64_t>(lasts.count()));
        cluster_.at(victim).pause(lasts);
    } else if (name == "partition") {
        isolate(pick(processes_, random), direction::both, lasts);
    } else if (name == "partition_one_way") {
        const auto direction_cut = random.chance(500) ? direction::inbound : direction::outbound;
        isolate(pick(processes_, random), direction_cut, lasts);
    } else if (name == "wall_clock_step") {
        const auto hours = static_cast<std::int64_t>(random.below(49)) - 24;
        cluster_.at(pick(processes_, random)).clock().step_wall(std::chrono::hours(hours));
    }
}

void nemesis::crash(const std::string& victim, monotonic::duration lasts) {
    process& host = cluster_.at(victim);
    if (host.running()) host.crash();
    sim::simulation& simulation = cluster_.simulation;
    simulation.after(simulation.kernel(), lasts, [&host] {
        if (!host.running()) host.start();
    });
}

void nemesis::isolate(const std::string& victim, direction direction, monotonic::duration lasts) {
    cluster_.isolate(victim, direction);
    sim::simulation& simulation = cluster_.simulation;
    simulation.after(simulation.kernel(), lasts, [this] { cluster_.network.heal(); });
}

}  // namespace muster::sim
