#include "sim/disk.h"

#include "base/assert.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace muster::sim {

disk::disk(world& where, process_clock& clock, std::string name, disk_options options)
    : where_(where),
      clock_(clock),
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
        clock_.call_after(delay, [done = std::move(done), outcome] { done(outcome); });
    });
}

std::uint64_t disk::used_bytes() const {
    std::uint64_t total = 0;
    for (const auto& [name, each] : files_) total += each->content().size();
    return total;
}

stored_file& disk::file_to_write(const std::string& name) {
    if (!files_.contains(name)) change({{name, std::make_shared<stored_file>()}});
    return *files_.at(name);
}

void disk::apply(const directory_change& directory_change, directory& to) {
    for (const auto& [name, file] : directory_change) {
        if (file) {
            to.insert_or_assign(name, file);
        } else {
            to.erase(name);
        }
    }
}

void disk::change(directory_change directory_change) {
    apply(directory_change, files_);
    unsynced_.push_back(std::move(directory_change));
}

async<void> disk::append(std::string file_name, std::string bytes) {
    const bool full = used_bytes() + bytes.size() > options_.capacity_bytes;
    if (full || full_.fires()) {
        where_.note("disk full", name_, bytes.size());
        return answer(options_.write_time, fail(errc::unavailable, "disk full: " + file_name));
    }
    where_.note("write", name_, digest(bytes));
    file_to_write(file_name).append(bytes);
    return answer(options_.write_time, {});
}

async<void> disk::truncate(std::string file_name, std::size_t size_bytes) {
    const auto it = files_.find(file_name);
    if (it == files_.end()) {
        return answer(options_.write_time, fail(errc::not_found, file_name));
    }
    where_.note("truncate", name_, size_bytes);
    it->second->truncate(size_bytes);
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
    clock_.call_after(monotonic::duration(static_cast<monotonic::rep>(moment)), [this] {
        if (power_loss_) power_loss_();
    });
}

// One sync, of whatever kind: it takes its time, may be a lie, and power may be lost meanwhile.
async<void> disk::synced(action make_durable) {
    const bool lies = fsync_lies_.fires();
    if (lies) where_.probes.reached(probe::sync_lied);
    const auto span = sync_span();
    if (loses_power_.fires()) lose_power_within(span);
    auto start = [this, lies, span, make_durable = std::move(make_durable)](
                     completion<void> done) mutable {
        auto end =
            [this, lies, make_durable = std::move(make_durable), done = std::move(done)]() mutable {
                where_.note(lies ? "sync (a lie)" : "sync", name_);
                if (!lies) make_durable();
                done(result<void>());
            };
        clock_.call_after(span, std::move(end));
    };
    return completed<void>(std::move(start));
}

async<void> disk::sync(std::string file_name) {
    const auto it = files_.find(file_name);
    if (it == files_.end()) {
        return answer(options_.write_time, fail(errc::not_found, file_name));
    }
    return synced(
        [file = it->second, carried = it->second->begin_flush()] { file->end_flush(carried); });
}

async<void> disk::sync_directory() {
    return synced([this, through = changes_durable_ + unsynced_.size()] {
        for (; changes_durable_ < through; ++changes_durable_) {
            apply(unsynced_.front(), durable_);
            unsynced_.pop_front();
        }
    });
}

async<std::string> disk::read(std::string file_name) {
    result<std::string> outcome = fail(errc::not_found, file_name);
    if (const auto it = files_.find(file_name); it != files_.end()) {
        outcome = it->second->content();
        if (!outcome->empty() && read_corrupt_.fires()) {
            where_.probes.reached(probe::read_corrupted);
            char& victim = (*outcome)[random_.below(outcome->size())];
            victim = static_cast<char>(victim ^ (1 << random_.below(8)));
        }
    }
    return completed<std::string>([this,
                                   outcome = std::move(outcome)](completion<std::string> done) {
        clock_.call_after(options_.read_time, [done = std::move(done), outcome] { done(outcome); });
    });
}

async<void> disk::rename(std::string from, std::string to) {
    MUSTER_ASSERT(from != to);
    const auto it = files_.find(from);
    if (it == files_.end()) return answer(options_.write_time, fail(errc::not_found, from));
    where_.note("rename", name_, digest(to));
    change({{from, nullptr}, {to, it->second}});
    return answer(options_.write_time, {});
}

async<void> disk::remove(std::string file_name) {
    if (!exists(file_name)) return answer(options_.write_time, fail(errc::not_found, file_name));
    where_.note("remove", name_, digest(file_name));
    change({{file_name, nullptr}});
    return answer(options_.write_time, {});
}

void disk::crash() {
    crash_directory();
    for (auto& [name, each] : files_) crash_file(name, *each);
}

void disk::crash_directory() {
    std::set<std::string> behind;  // names that still mean what they meant before
    for (const auto& each : unsynced_) {
        const bool possible = std::ranges::none_of(
            each, [&](const auto& entry) { return behind.contains(entry.first); });
        if (possible && random_.chance(500)) {
            apply(each, durable_);
            continue;
        }
        where_.probes.reached(probe::crash_lost_entry);
        for (const auto& [name, file] : each) behind.insert(name);
    }
    if (!behind.empty()) where_.note("crash lost entries", name_, behind.size());
    changes_durable_ += unsynced_.size();
    unsynced_.clear();
    files_ = durable_;
}

void disk::crash_file(const std::string& name, stored_file& victim) {
    const auto lost = victim.crash(random_);
    if (lost.of == 0) return;
    where_.note("crash lost", name_ + "/" + name, lost.sectors);
    if (lost.sectors > 0) where_.probes.reached(probe::crash_lost_sectors);
    if (lost.sectors > 0 && lost.sectors < lost.of) where_.probes.reached(probe::crash_tore_write);
}

}  // namespace muster::sim
