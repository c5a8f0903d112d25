#include "sim/disk.h"

#include "base/assert.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace muster::sim {

disk::disk(
    sim::simulation& simulation, process_clock& clock, std::string name, disk_options options)
    : simulation_(simulation),
      clock_(clock),
      name_(std::move(name)),
      options_(options),
      random_(simulation.random("disk of " + name_)),
      fsync_lies_fault_(simulation.faults.at("disk_fsync_lies")),
      full_fault_(simulation.faults.at("disk_full")),
      slow_fault_(simulation.faults.at("disk_slow")),
      read_corrupt_fault_(simulation.faults.at("disk_read_corrupt")),
      power_loss_fault_(simulation.faults.at("disk_power_loss")) {}

async<void> disk::complete_after(monotonic::duration delay, result<void> outcome) {
    return await_callback<void>([this, delay, outcome = std::move(outcome)](completion<void> done) {
        clock_.call_after(delay, [done = std::move(done), outcome] { done(outcome); });
    });
}

std::uint64_t disk::used_bytes() const {
    std::uint64_t total = 0;
    for (const auto& [name, file] : files_) total += file->content().size();
    return total;
}

stored_file& disk::file_to_write(const std::string& name) {
    if (!files_.contains(name)) record_change({{name, std::make_shared<stored_file>()}});
    return *files_.at(name);
}

void disk::apply(const directory_change& change, directory& target) {
    for (const auto& [name, file] : change) {
        if (file) {
            target.insert_or_assign(name, file);
        } else {
            target.erase(name);
        }
    }
}

void disk::record_change(directory_change change) {
    apply(change, files_);
    unsynced_.push_back(std::move(change));
}

async<void> disk::append(std::string file_name, std::string bytes) {
    const bool full = used_bytes() + bytes.size() > options_.capacity_bytes;
    if (full || full_fault_.fires()) {
        simulation_.note("disk full", name_, bytes.size());
        return complete_after(
            options_.write_time, fail(errc::unavailable, "disk full: " + file_name));
    }
    simulation_.note("write", name_, digest(bytes));
    file_to_write(file_name).append(bytes);
    return complete_after(options_.write_time, {});
}

async<void> disk::truncate(std::string file_name, std::size_t size_bytes) {
    const auto it = files_.find(file_name);
    if (it == files_.end()) {
        return complete_after(options_.write_time, fail(errc::not_found, file_name));
    }
    simulation_.note("truncate", name_, size_bytes);
    it->second->truncate(size_bytes);
    return complete_after(options_.write_time, {});
}

monotonic::duration disk::draw_sync_time() {
    const auto spread = static_cast<std::uint64_t>(options_.sync_time_spread.count());
    const auto drawn = static_cast<monotonic::rep>(random_.below(spread + 1));
    const auto span = options_.sync_time_min + monotonic::duration(drawn);
    return slow_fault_.fires() ? span * options_.slow_factor : span;
}

void disk::lose_power_within(monotonic::duration span) {
    const auto delay = random_.below(static_cast<std::uint64_t>(span.count()) + 1);
    clock_.call_after(monotonic::duration(static_cast<monotonic::rep>(delay)), [this] {
        if (power_loss_callback_) power_loss_callback_();
    });
}

// Performs one sync of any kind: it takes time, a fault can ignore it, and power can fail
// meanwhile.
async<void> disk::begin_sync(action make_durable) {
    const bool ignored = fsync_lies_fault_.fires();
    if (ignored) simulation_.probes.reached(probe::sync_lied);
    const auto span = draw_sync_time();
    if (power_loss_fault_.fires()) lose_power_within(span);
    auto start = [this, ignored, span, make_durable = std::move(make_durable)](
                     completion<void> done) mutable {
        auto end = [this,
                    ignored,
                    make_durable = std::move(make_durable),
                    done = std::move(done)]() mutable {
            simulation_.note(ignored ? "sync (a lie)" : "sync", name_);
            if (!ignored) make_durable();
            done(result<void>());
        };
        clock_.call_after(span, std::move(end));
    };
    return await_callback<void>(std::move(start));
}

async<void> disk::sync(std::string file_name) {
    const auto it = files_.find(file_name);
    if (it == files_.end()) {
        return complete_after(options_.write_time, fail(errc::not_found, file_name));
    }
    return begin_sync(
        [file = it->second, flush = it->second->begin_flush()] { file->end_flush(flush); });
}

async<void> disk::sync_directory() {
    return begin_sync([this, last_change = changes_durable_ + unsynced_.size()] {
        for (; changes_durable_ < last_change; ++changes_durable_) {
            apply(unsynced_.front(), durable_);
            unsynced_.pop_front();
        }
    });
}

async<std::string> disk::read(std::string file_name) {
    result<std::string> outcome = fail(errc::not_found, file_name);
    if (const auto it = files_.find(file_name); it != files_.end()) {
        outcome = it->second->content();
        if (!outcome->empty() && read_corrupt_fault_.fires()) {
            simulation_.probes.reached(probe::read_corrupted);
            char& victim = (*outcome)[random_.below(outcome->size())];
            victim = static_cast<char>(victim ^ (1 << random_.below(8)));
        }
    }
    return await_callback<std::string>([this, outcome = std::move(outcome)](
                                           completion<std::string> done) {
        clock_.call_after(options_.read_time, [done = std::move(done), outcome] { done(outcome); });
    });
}

async<void> disk::rename(std::string from, std::string to) {
    MUSTER_ASSERT(from != to);
    const auto it = files_.find(from);
    if (it == files_.end()) return complete_after(options_.write_time, fail(errc::not_found, from));
    simulation_.note("rename", name_, digest(to));
    record_change({{from, nullptr}, {to, it->second}});
    return complete_after(options_.write_time, {});
}

async<void> disk::remove(std::string file_name) {
    if (!exists(file_name))
        return complete_after(options_.write_time, fail(errc::not_found, file_name));
    simulation_.note("remove", name_, digest(file_name));
    record_change({{file_name, nullptr}});
    return complete_after(options_.write_time, {});
}

void disk::crash() {
    crash_directory();
    for (auto& [name, file] : files_) crash_file(name, *file);
}

void disk::crash_directory() {
    std::set<std::string> unchanged_names;  // names whose changes are lost
    for (const auto& change : unsynced_) {
        const bool applicable = std::ranges::none_of(
            change, [&](const auto& entry) { return unchanged_names.contains(entry.first); });
        if (applicable && random_.chance(500)) {
            apply(change, durable_);
            continue;
        }
        simulation_.probes.reached(probe::crash_lost_entry);
        for (const auto& [name, file] : change) unchanged_names.insert(name);
    }
    if (!unchanged_names.empty())
        simulation_.note("crash lost entries", name_, unchanged_names.size());
    changes_durable_ += unsynced_.size();
    unsynced_.clear();
    files_ = durable_;
}

void disk::crash_file(const std::string& name, stored_file& victim) {
    const auto lost = victim.crash(random_);
    if (lost.unsynced_sectors == 0) return;
    simulation_.note("crash lost", name_ + "/" + name, lost.sectors);
    if (lost.sectors > 0) simulation_.probes.reached(probe::crash_lost_sectors);
    if (lost.sectors > 0 && lost.sectors < lost.unsynced_sectors)
        simulation_.probes.reached(probe::crash_tore_write);
}

}  // namespace muster::sim
