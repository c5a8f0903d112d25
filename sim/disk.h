#pragma once

#include "base/time.h"
#include "ports/async.h"
#include "sim/clock.h"
#include "sim/stored_file.h"
#include "sim/world.h"

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
    std::int64_t slow_factor = 100;  // of a sync that the fault disk_slow strikes
};

// Files of one machine, in one directory. They outlive its processes. No kinder than POSIX:
//
// - What was written before a sync began survives every crash once that sync has answered.
// - What was written later survives wholly, in part (any set of its sectors), or not.
// - That a file was made, renamed or removed lasts once a sync_directory() that began later has
//   answered, whether or not the file itself was synced. Otherwise each such change lasts or not;
//   none does that touches a name after one that did not. A rename is atomic.
// Faults: disk_fsync_lies, disk_full, disk_slow, disk_read_corrupt, disk_power_loss.
class disk {
public:
    disk(world& where, process_clock& clock, std::string name, disk_options options);

    // Makes the file when there is none. On failure nothing was written.
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

    // Power is lost: decides what of the unsynced stays.
    void crash();

    // What to do when the fault disk_power_loss strikes in the middle of a sync.
    void on_power_loss(std::function<void()> callback) { power_loss_ = std::move(callback); }

private:
    using directory = std::map<std::string, std::shared_ptr<stored_file>>;
    // What names mean from now on; nothing: there is no such file any more.
    using directory_change = directory;

    stored_file& file_to_write(const std::string& name);
    void change(directory_change directory_change);
    static void apply(const directory_change& directory_change, directory& to);
    void crash_directory();
    void crash_file(const std::string& name, stored_file& victim);
    async<void> synced(action make_durable);
    monotonic::duration sync_span();
    void lose_power_within(monotonic::duration span);
    async<void> answer(monotonic::duration delay, result<void> outcome);

    world& where_;
    process_clock& clock_;
    std::string name_;
    disk_options options_;
    prng& random_;
    fault& fsync_lies_;
    fault& full_;
    fault& slow_;
    fault& read_corrupt_;
    fault& loses_power_;
    std::function<void()> power_loss_;
    directory files_;    // as programs see it
    directory durable_;  // as it is sure to be after a crash
    std::deque<directory_change> unsynced_;
    std::uint64_t changes_durable_ = 0;
};

}  // namespace muster::sim
