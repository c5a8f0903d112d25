#include "sim/disk.h"

#include "base/assert.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::sim {

disk::disk(world& where, timepiece& time, std::string name, disk_options options)
    : where_(where),
      time_(time),
      name_(std::move(name)),
      options_(options),
      random_(where.random("disk of " + name_)),
      fsync_lies_(where.faults.at("disk_fsync_lies")),
      full_(where.faults.at("disk_full")),
      slow_(where.faults.at("disk_slow")),
      read_corrupt_(where.faults.at("disk_read_corrupt")),
      loses_power_(where.faults.at("disk_power_loss")) {}

async<void> disk::answer(monotonic::duration delay, result<void> outcome) {
    return completed<void>([this, delay, outcome = std::move(outcome)](completion<void> done) {
        time_.call_after(delay, [done = std::move(done), outcome] { done(outcome); });
    });
}

std::uint64_t disk::used_bytes() const {
    std::uint64_t total = 0;
    for (const auto& [name, each] : files_) total += each.content.size();
    return total;
}

void disk::remember_sectors(file& target, std::size_t from, std::size_t to) {
    for (std::size_t at = from / sector_bytes; at * sector_bytes < to; ++at) {
        const std::size_t start = at * sector_bytes;
        if (target.before.contains(at)) continue;
        const std::size_t old_size = target.synced_size;
        auto old = start < old_size
                       ? target.content.substr(start, std::min(sector_bytes, old_size - start))
                       : std::string();
        target.before.emplace(at, std::move(old));
    }
}

async<void> disk::append(std::string file_name, std::string bytes) {
    const bool full = used_bytes() + bytes.size() > options_.capacity_bytes;
    if (full || full_.fires()) {
        where_.note("disk full", name_, bytes.size());
        return answer(options_.write_time, fail(errc::unavailable, "disk full: " + file_name));
    }
    where_.note("write", name_, digest(bytes));
    file& target = files_[file_name];
    const std::size_t end = target.content.size();
    remember_sectors(target, end, end + bytes.size());
    target.content += bytes;
    return answer(options_.write_time, {});
}

async<void> disk::truncate(std::string file_name, std::size_t size_bytes) {
    const auto found = files_.find(file_name);
    if (found == files_.end()) {
        return answer(options_.write_time, fail(errc::not_found, file_name));
    }
    file& target = found->second;
    MUSTER_ASSERT(size_bytes <= target.content.size());
    where_.note("truncate", name_, size_bytes);
    remember_sectors(target, size_bytes, target.content.size());
    target.content.resize(size_bytes);
    return answer(options_.write_time, {});
}

monotonic::duration disk::sync_span() {
    const auto spread = static_cast<std::uint64_t>(options_.sync_time_spread.count());
    const auto drawn = static_cast<monotonic::rep>(random_.below(spread + 1));
    const auto span = options_.sync_time_min + monotonic::duration(drawn);
    return slow_.fires() ? span * options_.slow_factor : span;
}

void disk::lose_power_within(monotonic::duration span) {
    const auto moment = random_.below(static_cast<std::uint64_t>(span.count()) + 1);
    time_.call_after(monotonic::duration(static_cast<monotonic::rep>(moment)), [this] {
        if (power_loss_) power_loss_();
    });
}

async<void> disk::sync(std::string file_name) {
    const bool lies = fsync_lies_.fires();
    if (lies) where_.probes.reached(probe::sync_lied);
    const auto span = sync_span();
    if (loses_power_.fires()) lose_power_within(span);
    return completed<void>([this, lies, span, file_name](completion<void> done) {
        time_.call_after(span, [this, lies, file_name, done = std::move(done)] {
            const auto found = files_.find(file_name);
            if (found == files_.end()) return done(fail(errc::not_found, file_name));
            where_.note(lies ? "sync (a lie)" : "sync", name_);
            if (!lies) {
                found->second.before.clear();
                found->second.synced_size = found->second.content.size();
            }
            done(result<void>());
        });
    });
}

async<std::string> disk::read(std::string file_name) {
    result<std::string> outcome = fail(errc::not_found, file_name);
    if (const auto found = files_.find(file_name); found != files_.end()) {
        outcome = found->second.content;
        if (!outcome->empty() && read_corrupt_.fires()) {
            where_.probes.reached(probe::read_corrupted);
            char& victim = (*outcome)[random_.below(outcome->size())];
            victim = static_cast<char>(victim ^ (1 << random_.below(8)));
        }
    }
    return completed<std::string>([this,
                                   outcome = std::move(outcome)](completion<std::string> done) {
        time_.call_after(options_.read_time, [done = std::move(done), outcome] { done(outcome); });
    });
}

async<void> disk::rename(std::string from, std::string to) {
    auto moved = files_.extract(from);
    if (moved.empty()) return answer(options_.write_time, fail(errc::not_found, from));
    where_.note("rename", name_, digest(to));
    renaming undo{.from = from, .to = to, .replaced = {}};
    if (auto replaced = files_.extract(to); !replaced.empty()) {
        undo.replaced.insert(std::move(replaced));
    }
    moved.key() = to;
    files_.insert(std::move(moved));
    unsynced_renamings_.push_back(std::move(undo));
    return answer(options_.write_time, {});
}

async<void> disk::remove(std::string file_name) {
    auto removed = files_.extract(file_name);
    if (removed.empty()) return answer(options_.write_time, fail(errc::not_found, file_name));
    where_.note("remove", name_, digest(file_name));
    renaming undo{.from = {}, .to = file_name, .replaced = {}};
    undo.replaced.insert(std::move(removed));
    unsynced_renamings_.push_back(std::move(undo));
    return answer(options_.write_time, {});
}

async<void> disk::sync_directory() {
    const auto span = sync_span();
    return completed<void>([this, span](completion<void> done) {
        time_.call_after(span, [this, done = std::move(done)] {
            where_.note("sync directory", name_);
            unsynced_renamings_.clear();
            done(result<void>());
        });
    });
}

void disk::crash() {
    undo_renamings();
    for (auto& [name, each] : files_) crash_file(name, each);
}

void disk::undo_renamings() {
    auto kept = random_.below(unsynced_renamings_.size() + 1);
    while (unsynced_renamings_.size() > kept) {
        renaming last = std::move(unsynced_renamings_.back());
        unsynced_renamings_.pop_back();
        if (auto moved = files_.extract(last.to); !moved.empty() && !last.from.empty()) {
            moved.key() = last.from;
            files_.insert(std::move(moved));
        }
        files_.merge(last.replaced);
    }
    unsynced_renamings_.clear();
}

void disk::crash_file(const std::string& name, file& victim) {
    if (victim.before.empty()) return;
    enum class fate : std::uint8_t { all_lost, all_kept, torn };
    const auto drawn = static_cast<fate>(random_.below(3));
    const std::string written = std::exchange(victim.content, {});
    std::size_t lost = 0;
    std::string after = written;
    for (const auto& [sector, before] : victim.before) {
        const bool keep = drawn == fate::all_kept || (drawn == fate::torn && random_.chance(500));
        if (keep) continue;
        ++lost;
        const std::size_t start = sector * sector_bytes;
        // A lost sector within the file is what it was: old bytes, or zeros if it was never there.
        std::string old = before;
        old.resize(sector_bytes, '\0');
        if (after.size() < start + sector_bytes) after.resize(start + sector_bytes, '\0');
        after.replace(start, sector_bytes, old);
    }
    const bool none_kept = lost == victim.before.size();
    after.resize(none_kept ? victim.synced_size : std::max(written.size(), victim.synced_size));
    where_.note("crash lost", name_ + "/" + name, lost);
    if (lost > 0) where_.probes.reached(probe::crash_lost_sectors);
    if (lost > 0 && !none_kept) where_.probes.reached(probe::crash_tore_write);
    victim.content = std::move(after);
    victim.synced_size = victim.content.size();
    victim.before.clear();
}

}  // namespace muster::sim
