#pragma once

#include "base/time.h"
#include "ports/async.h"
#include "sim/clock.h"
#include "sim/world.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

struct disk_options {
    std::uint64_t capacity_bytes = std::uint64_t{1} << 32;
    monotonic::duration write_time = std::chrono::microseconds(20);
    monotonic::duration read_time = std::chrono::microseconds(200);
    monotonic::duration sync_time_min = std::chrono::microseconds(300);
    monotonic::duration sync_time_spread = std::chrono::microseconds(1500);
    std::int64_t slow_factor = 100;  // of a sync that the fault disk_slow strikes
};

// Files of one machine. They outlive its processes.
//
// - What was written and then synced survives a crash.
// - What was written and not synced survives wholly, in part (any set of its sectors), or not.
// - A rename or removal is atomic, and lasts once sync_directory() has answered; renames that were
//   not synced are undone from the last one backwards, as far as the crash pleases.
// Faults: disk_fsync_lies, disk_full, disk_slow, disk_read_corrupt, disk_power_loss.
class disk {
public:
    static constexpr std::size_t sector_bytes = 512;

    disk(world& where, timepiece& time, std::string name, disk_options options);

    // Makes the file when there is none. On failure nothing was written.
    async<void> append(std::string file, std::string bytes);
    async<void> truncate(std::string file, std::size_t size_bytes);
    async<void> sync(std::string file);
    async<std::string> read(std::string file);  // not_found when there is no such file
    async<void> rename(std::string from, std::string to);
    async<void> remove(std::string file);
    async<void> sync_directory();

    bool exists(const std::string& file) const { return files_.contains(file); }
    std::uint64_t used_bytes() const;
    void resize(std::uint64_t capacity_bytes) { options_.capacity_bytes = capacity_bytes; }

    // Power is lost: decides what of the unsynced stays.
    void crash();

    // What to do when the fault disk_power_loss strikes in the middle of a sync.
    void on_power_loss(std::function<void()> what) { power_loss_ = std::move(what); }

private:
    // `before` holds, for each sector touched since the last sync, what it was then.
    struct file {
        std::string content;
        std::size_t synced_size = 0;
        std::map<std::size_t, std::string> before;
    };
    struct renaming {  // what to put back when it did not last
        std::string from;
        std::string to;
        std::map<std::string, file> replaced;
    };

    void remember_sectors(file& target, std::size_t from, std::size_t to);
    void crash_file(const std::string& name, file& victim);
    void undo_renamings();
    monotonic::duration sync_span();
    void lose_power_within(monotonic::duration span);
    async<void> answer(monotonic::duration delay, result<void> outcome);

    world& where_;
    timepiece& time_;
    std::string name_;
    disk_options options_;
    prng& random_;
    fault& fsync_lies_;
    fault& full_;
    fault& slow_;
    fault& read_corrupt_;
    fault& loses_power_;
    std::function<void()> power_loss_;
    std::map<std::string, file> files_;
    std::vector<renaming> unsynced_renamings_;
};

}  // namespace muster::sim
