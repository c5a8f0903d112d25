#include "sim/faults.h"

#include "base/assert.h"
#include "sim/trace.h"

#include <algorithm>
#include <array>

namespace muster::sim {

namespace {

constexpr std::uint64_t million = 1'000'000;

constexpr auto catalogue = std::to_array<known_fault>({
    {"change_leader", "the leader of the engine cluster changes"},
    {"crash_client", "a client process crashes and restarts"},
    {"crash_engine", "the engine process crashes and restarts"},
    {"disk_fsync_lies", "a sync reports success without writing"},
    {"disk_full", "a write fails because the disk is full"},
    {"disk_power_loss", "a machine loses power during a disk sync"},
    {"disk_read_corrupt", "a read returns a flipped bit"},
    {"disk_slow", "a sync takes a hundred times as long"},
    {"partition", "a process is cut off in both directions"},
    {"partition_one_way", "a process is cut off in one direction"},
    {"pause_client", "a client process pauses"},
    {"pause_engine", "the engine process pauses"},
    {"wall_clock_step", "the wall clock of a process jumps"},
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
    if (!existing) return fail(errc::invalid, "fault \"" + name + "\" not found");
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
