#pragma once

#include "base/time.h"
#include "ports/async.h"
#include "sim/clock.h"
#include "sim/simulation.h"
#include "sim/stored_file.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace muster::sim {

struct disk_options {
    std::uint64_t capacity_bytes = std::uint64_t{1} << 32;
    monotonic::duration write_time = std::chrono::microseconds(20);
    monotonic::duration read_time = std::chrono::microseconds(200);
    monotonic::duration sync_time_min = std::chrono::microseconds(300);
    monotonic::duration sync_time_spread = std::chrono::microseconds(1500);
    std::int64_t slow_factor = 100;  // of a sync when the fault disk_slow fires
};

// The files of one machine, in one directory. They outlive its processes. Guarantees are no
// stronger than those of POSIX:
//
// - Data written before a sync began survives every crash once that sync has completed.
// - Data written later survives completely, partly (any set of its sectors) or not at all.
// - Creating, renaming or removing a file is durable once a later sync_directory() has completed.
// Until then each such change can be lost, with all later changes of the same names. A rename is
// atomic.
// Faults: disk_fsync_lies, disk_full, disk_slow, disk_read_corrupt, disk_power_loss.
class disk {
public:
    disk(sim::simulation& simulation, process_clock& clock, std::string name, disk_options options);

    // Creates the file if it does not exist. On failure nothing was written.
    async<void> append(std::string file_name, std::string bytes);
    async<void> truncate(std::string file_name, std::size_t size_bytes);
    async<void> sync(std::string file_name);
    async<std::string> read(std::string file_name);  // not_found when there is no such file
    async<void> rename(std::string from, std::string to);
    async<void> remove(std::string file_name);
    async<void> sync_directory();

    bool exists(const std::string& file) const { return files_.contains(file); }
    std::uint64_t used_bytes() const;
    void resize(std::uint64_t capacity_bytes) { options_.capacity_bytes = capacity_bytes; }

    // Simulates a power loss: decides which unsynced data survives.
    void crash();

    // Called when the fault disk_power_loss fires during a sync.
    void on_power_loss(std::function<void()> callback) {
        power_loss_callback_ = std::move(callback);
    }

private:
    using directory = std::map<std::string, std::shared_ptr<stored_file>>;
    // New files by name; nullptr removes the name.
    using directory_change = directory;

    stored_file& file_to_write(const std::string& name);
    void record_change(directory_change change);
    static void apply(const directory_change& change, directory& target);
    void crash_directory();
    void crash_file(const std::string& name, stored_file& victim);
    async<void> begin_sync(action make_durable);
    monotonic::duration draw_sync_time();
    void lose_power_within(monotonic::duration span);
    async<void> complete_after(monotonic::duration delay, result<void> outcome);

    sim::simulation& simulation_;
    process_clock& clock_;
    std::string name_;
    disk_options options_;
    prng& random_;
    fault& fsync_lies_fault_;
    fault& full_fault_;
    fault& slow_fault_;
    fault& read_corrupt_fault_;
    fault& power_loss_fault_;
    std::function<void()> power_loss_callback_;
    directory files_;    // as programs see it
    directory durable_;  // as it is at least after a crash
    std::deque<directory_change> unsynced_;
    std::uint64_t changes_durable_ = 0;
};

}  // namespace muster::sim
