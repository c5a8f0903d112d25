#include "services/fleet/system_cache.h"

#include "core/fleet/compact_system_record.h"
#include "core/model/slot.h"
#include "services/fleet/system_cache_shard.h"

#include <xxhash.h>

namespace muster::fleet {
namespace {

std::uint64_t digest_of(std::string_view machine_id) {
    return XXH3_64bits(machine_id.data(), machine_id.size());
}

bool is_unaccepted(enrolment stage) {
    return stage == enrolment::pooled || stage == enrolment::rejected;
}

}  // namespace

system_cache::system_cache()
    : shards_(std::make_unique<std::array<system_cache_shard, shard_count>>()) {}
system_cache::~system_cache() = default;

system_cache_shard& system_cache::shard_of(const fingerprint& print) const {
    return shards_->at(print.bytes().front());
}

std::optional<system_record> system_cache::find(const fingerprint& print) const {
    const auto& shard = shard_of(print);
    const std::lock_guard lock(shard.guard);
    const auto* const record = shard.find(print);
    if (record == nullptr) return std::nullopt;
    return record->unpack(print);
}

std::optional<fingerprint> system_cache::find_indexed(
    std::uint64_t prefix, function_ref<bool(const compact_system_record&)> predicate) const {
    const auto& shard = shards_->at(prefix >> 56U);
    const std::lock_guard lock(shard.guard);
    const auto* const record = shard.systems().find_prefix(prefix, predicate);
    if (record == nullptr) return std::nullopt;
    return record->first;
}

std::optional<system_record> system_cache::find(system_number number) const {
    std::uint64_t prefix = 0;
    {
        const std::lock_guard lock(index_guard_);
        const auto index = static_cast<std::size_t>(number.value());
        const auto chunk = index / chunk_size;
        if (chunk >= numbers_.size() || !numbers_[chunk]) return std::nullopt;
        prefix = numbers_[chunk]->at(index % chunk_size);
    }
    const auto print = find_indexed(prefix, [number](const compact_system_record& record) {
        return record.number() == number;
    });
    return print ? find(*print) : std::nullopt;
}

std::vector<system_record> system_cache::find_machine(std::string_view machine_id) const {
    std::vector<system_record> systems;
    if (machine_id.empty()) return systems;
    const auto digest = digest_of(machine_id);
    std::vector<std::uint64_t> prefixes;
    {
        const std::lock_guard lock(index_guard_);
        auto it = machines_.lower_bound({digest, 0});
        for (; it != machines_.end() && it->first == digest; ++it) prefixes.push_back(it->second);
    }
    for (const auto prefix : prefixes) {
        const auto print = find_indexed(prefix, [&](const compact_system_record& record) {
            return record.stage() == enrolment::accepted && record.machine_id() == machine_id;
        });
        auto record = print ? find(*print) : std::nullopt;
        if (record) systems.push_back(std::move(*record));
    }
    return systems;
}

system_state system_cache::status(const fingerprint& print) const {
    auto stage = enrolment::pooled;
    system_number number;
    {
        const auto& shard = shard_of(print);
        const std::lock_guard lock(shard.guard);
        const auto* const record = shard.find(print);
        if (record == nullptr) return system_state::fresh;
        stage = record->stage();
        number = record->number();
    }
    switch (stage) {
        case enrolment::accepted:
            return presence_ != nullptr && presence_->is_attached(number) ? system_state::onboarded
                                                                          : system_state::orphan;
        case enrolment::deleted:
            return system_state::deleted;
        case enrolment::pooled:
        case enrolment::rejected:
        case enrolment::evicted:
            break;
    }
    return system_state::fresh;
}

slot_population system_cache::population(std::string_view zone) const {
    const std::lock_guard lock(index_guard_);
    return counts_.population(zone);
}

system_counts system_cache::counts() const {
    const std::lock_guard lock(index_guard_);
    return counts_;
}

std::size_t system_cache::accepted_in(std::string_view zone) const {
    const std::lock_guard lock(index_guard_);
    return counts_.accepted_in(zone);
}

std::size_t system_cache::count(enrolment stage) const {
    const std::lock_guard lock(index_guard_);
    return counts_.count(stage);
}

std::optional<fingerprint> system_cache::visit(
    const std::optional<fingerprint>& after, std::size_t count, visitor visit) const {
    std::optional<fingerprint> last = after;
    const std::size_t first = after ? after->bytes().front() : 0;
    for (std::size_t position = first; position < shard_count; ++position) {
        const auto& shard = shards_->at(position);
        const std::lock_guard lock(shard.guard);
        const auto page = shard.systems().page(position == first ? after : std::nullopt, count);
        for (const auto* const entry : page) {
            visit(entry->first, entry->second);
            last = entry->first;
        }
        count -= page.size();
        if (count == 0) return last;
    }
    return std::nullopt;
}

std::vector<fingerprint> system_cache::oldest_unaccepted(std::size_t count) const {
    std::vector<fingerprint> oldest;
    const std::lock_guard lock(index_guard_);
    for (auto it = unaccepted_.begin(); it != unaccepted_.end() && oldest.size() < count; ++it)
        oldest.push_back(it->second);
    return oldest;
}

void system_cache::watch(watcher watcher) {
    watchers_.push_back(std::move(watcher));
}

void system_cache::apply(std::span<const system_record> rows) {
    const std::lock_guard lock_changes(apply_guard_);
    std::vector<fleet::change> changes;
    for (const auto& row : rows) {
        auto& shard = shard_of(row.print);
        system_map::outcome outcome;
        {
            const std::lock_guard lock(shard.guard);
            outcome = shard.apply(row, reading_);
        }
        if (!outcome.changed) continue;
        {
            const std::lock_guard lock(index_guard_);
            if (outcome.before) remove_from_index(row.print, *outcome.before);
            if (row.stage != enrolment::evicted) add_to_index(row);
        }
        if (watchers_.empty()) continue;
        auto& change = changes.emplace_back(std::nullopt, row);
        if (outcome.before) change.before = outcome.before->unpack(row.print);
    }
    notify(changes);
}

void system_cache::begin_reading() {
    const std::lock_guard lock_changes(apply_guard_);
    ++reading_;
}

void system_cache::end_reading(unseen_systems unseen) {
    if (unseen == unseen_systems::erase) erase_unseen();
    complete_.store(true, std::memory_order_release);
}

void system_cache::erase_unseen() {
    const std::lock_guard lock_changes(apply_guard_);
    std::vector<fleet::change> changes;
    for (auto& shard : *shards_) {
        std::vector<std::pair<fingerprint, compact_system_record>> removed;
        {
            const std::lock_guard lock(shard.guard);
            removed = shard.erase_unseen(reading_);
        }
        const std::lock_guard lock(index_guard_);
        for (const auto& [print, before] : removed) {
            remove_from_index(print, before);
            auto& change = changes.emplace_back(before.unpack(print), before.unpack(print));
            change.after.stage = enrolment::evicted;
        }
    }
    notify(changes);
}

void system_cache::add_to_index(const system_record& record) {
    counts_.add(record.stage, record.zone, slot::of(record.print));
    if (is_unaccepted(record.stage)) unaccepted_.emplace(record.enrolled, record.print);
    const auto prefix = system_map::prefix_of(record.print);
    if (record.stage == enrolment::accepted && !record.machine_id.empty())
        machines_.emplace(digest_of(record.machine_id), prefix);
    if (!record.number) return;
    const auto index = static_cast<std::size_t>(record.number.value());
    const auto chunk = index / chunk_size;
    if (chunk >= numbers_.size()) numbers_.resize(chunk + 1);
    if (!numbers_[chunk]) numbers_[chunk] = std::make_unique<number_chunk>();
    auto& prefix_entry = numbers_[chunk]->at(index % chunk_size);
    // A deleted key keeps its number only until a new key takes it over.
    if (prefix_entry == 0 || record.stage == enrolment::accepted) prefix_entry = prefix;
}

void system_cache::remove_from_index(
    const fingerprint& print, const compact_system_record& before) {
    counts_.remove(before.stage(), before.zone(), slot::of(print));
    if (is_unaccepted(before.stage())) unaccepted_.erase({before.enrolled(), print});
    if (before.stage() == enrolment::accepted && !before.machine_id().empty())
        machines_.erase({digest_of(before.machine_id()), system_map::prefix_of(print)});
    if (!before.number()) return;
    const auto index = static_cast<std::size_t>(before.number().value());
    auto& prefix_entry = numbers_[index / chunk_size]->at(index % chunk_size);
    // A key that took over the number stays its owner.
    if (prefix_entry == system_map::prefix_of(print)) prefix_entry = 0;
}

void system_cache::notify(std::span<const change> changes) const {
    if (changes.empty()) return;
    for (const auto& watcher : watchers_) watcher(changes);
}

}  // namespace muster::fleet
