#include "sim/faults.h"

#include "base/assert.h"
#include "sim/trace.h"

#include <algorithm>
#include <array>

namespace muster::sim {

namespace {

constexpr std::uint64_t million = 1'000'000;

constexpr auto catalogue = std::to_array<known_fault>({
    {"change_leader", "the leader of the engine's cluster gives way to another"},
    {"crash_client", "a client process dies and comes back"},
    {"crash_engine", "the engine's process dies and comes back"},
    {"disk_fsync_lies", "a sync answers well and does nothing"},
    {"disk_full", "a write finds no space"},
    {"disk_power_loss", "a process's machine loses power while its disk syncs"},
    {"disk_read_corrupt", "a read returns a flipped bit"},
    {"disk_slow", "a sync takes a hundred times as long"},
    {"partition", "a process cannot talk to the others, nor they to it"},
    {"partition_one_way", "a process can speak but not hear, or hear but not speak"},
    {"pause_client", "a client process stands still for a while"},
    {"pause_engine", "the engine's process stands still for a while"},
    {"wall_clock_step", "a process's wall clock jumps"},
});

std::uint64_t per_million(double probability) {
    return static_cast<std::uint64_t>(std::clamp(probability, 0.0, 1.0) * million);
}

}  // namespace

fault::fault(fault_odds odds, prng random) : random_(random) {
    const bool armed = random_.below(million) < per_million(odds.armed);
    if (armed) fires_per_million_ = per_million(odds.fires);
}

bool fault::fires() {
    if (fires_per_million_ == 0) return false;
    if (random_.below(million) >= fires_per_million_) return false;
    ++fired_;
    return true;
}

std::span<const known_fault> known_faults() {
    return catalogue;
}

result<void> faults::arm(const std::string& name, fault_odds odds) {
    const bool existing = std::ranges::any_of(
        catalogue, [&](const known_fault& candidate) { return candidate.name == name; });
    if (!existing) return fail(errc::invalid, "there is no fault named '" + name + "'");
    by_name_.insert_or_assign(name, fault(odds, prng(seed_ ^ digest(name))));
    return {};
}

fault& faults::at(const std::string& name) {
    return by_name_[name];
}

void faults::disarm_all() {
    for (auto& [name, fault] : by_name_) fault.disarm();
}

}  // namespace muster::sim
