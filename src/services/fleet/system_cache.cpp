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

system_cache::system_cache() : shards_(std::make_unique<std::array<shard, shard_count>>()) {}
system_cache::~system_cache() = default;

shard& system_cache::shard_of(const fingerprint& print) const {
    return shards_->at(print.bytes().front());
}

std::optional<system_record> system_cache::find(const fingerprint& print) const {
    const auto& home = shard_of(print);
    const std::lock_guard lock(home.guard);
    const auto* const found = home.find(print);
    if (found == nullptr) return std::nullopt;
    return found->unpack(print);
}

std::optional<fingerprint> system_cache::find_indexed(
    std::uint64_t prefix, function_ref<bool(const compact_system_record&)> accepts) const {
    const auto& home = shards_->at(prefix >> 56U);
    const std::lock_guard lock(home.guard);
    const auto* const found = home.systems().find_prefix(prefix, accepts);
    if (found == nullptr) return std::nullopt;
    return found->first;
}

std::optional<system_record> system_cache::find(system_number number) const {
    std::uint64_t prefix = 0;
    {
        const std::lock_guard lock(index_guard_);
        const auto place = static_cast<std::size_t>(number.value());
        const auto chunk = place / chunk_size;
        if (chunk >= numbers_.size() || !numbers_[chunk]) return std::nullopt;
        prefix = numbers_[chunk]->at(place % chunk_size);
    }
    const auto print = find_indexed(prefix, [number](const compact_system_record& compact_system) {
        return compact_system.number() == number;
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
        auto at = machines_.lower_bound({digest, 0});
        for (; at != machines_.end() && at->first == digest; ++at) prefixes.push_back(at->second);
    }
    for (const auto prefix : prefixes) {
        const auto print = find_indexed(prefix, [&](const compact_system_record& compact_system) {
            return compact_system.stage() == enrolment::accepted
                   && compact_system.machine_id() == machine_id;
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
        const auto& home = shard_of(print);
        const std::lock_guard lock(home.guard);
        const auto* const found = home.find(print);
        if (found == nullptr) return system_state::fresh;
        stage = found->stage();
        number = found->number();
    }
    switch (stage) {
        case enrolment::accepted:
            return presence_ != nullptr && presence_->attached(number) ? system_state::onboarded
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
    return counted_.population(zone);
}

system_counts system_cache::counts() const {
    const std::lock_guard lock(index_guard_);
    return counted_;
}

std::size_t system_cache::accepted_in(std::string_view zone) const {
    const std::lock_guard lock(index_guard_);
    return counted_.accepted_in(zone);
}

std::size_t system_cache::count(enrolment stage) const {
    const std::lock_guard lock(index_guard_);
    return counted_.count(stage);
}

std::optional<fingerprint> system_cache::visit(
    const std::optional<fingerprint>& after, std::size_t count, visitor seen) const {
    std::optional<fingerprint> last = after;
    const std::size_t first = after ? after->bytes().front() : 0;
    for (std::size_t at = first; at < shard_count; ++at) {
        const auto& home = shards_->at(at);
        const std::lock_guard lock(home.guard);
        const auto page = home.systems().page(at == first ? after : std::nullopt, count);
        for (const auto* const each : page) {
            seen(each->first, each->second);
            last = each->first;
        }
        count -= page.size();
        if (count == 0) return last;
    }
    return std::nullopt;
}

std::vector<fingerprint> system_cache::oldest_unaccepted(std::size_t count) const {
    std::vector<fingerprint> oldest;
    const std::lock_guard lock(index_guard_);
    for (auto at = unaccepted_.begin(); at != unaccepted_.end() && oldest.size() < count; ++at)
        oldest.push_back(at->second);
    return oldest;
}

void system_cache::watch(watcher watcher) {
    watchers_.push_back(std::move(watcher));
}

void system_cache::apply(std::span<const system_record> rows) {
    const std::lock_guard one_at_a_time(applying_);
    std::vector<change> changes;
    for (const auto& row : rows) {
        auto& home = shard_of(row.print);
        system_map::outcome done;
        {
            const std::lock_guard lock(home.guard);
            done = home.apply(row, reading_);
        }
        if (!done.changed) continue;
        {
            const std::lock_guard lock(index_guard_);
            if (done.before) forget(row.print, *done.before);
            if (row.stage != enrolment::evicted) index(row);
        }
        if (watchers_.empty()) continue;
        auto& response = changes.emplace_back(std::nullopt, row);
        if (done.before) response.before = done.before->unpack(row.print);
    }
    tell(changes);
}

void system_cache::begin_reading() {
    const std::lock_guard one_at_a_time(applying_);
    ++reading_;
}

void system_cache::end_reading() {
    const std::lock_guard one_at_a_time(applying_);
    std::vector<change> changes;
    for (auto& shard : *shards_) {
        std::vector<std::pair<fingerprint, compact_system_record>> gone;
        {
            const std::lock_guard lock(shard.guard);
            gone = shard.forget_unseen(reading_);
        }
        const std::lock_guard lock(index_guard_);
        for (const auto& [print, before] : gone) {
            forget(print, before);
            auto& response = changes.emplace_back(before.unpack(print), before.unpack(print));
            response.after.stage = enrolment::evicted;
        }
    }
    tell(changes);
    complete_.store(true, std::memory_order_release);
}

void system_cache::index(const system_record& now) {
    counted_.add(now.stage, now.zone, slot::of(now.print));
    if (is_unaccepted(now.stage)) unaccepted_.emplace(now.enrolled, now.print);
    const auto prefix = system_map::prefix_of(now.print);
    if (now.stage == enrolment::accepted && !now.machine_id.empty())
        machines_.emplace(digest_of(now.machine_id), prefix);
    if (!now.number) return;
    const auto place = static_cast<std::size_t>(now.number.value());
    const auto chunk = place / chunk_size;
    if (chunk >= numbers_.size()) numbers_.resize(chunk + 1);
    if (!numbers_[chunk]) numbers_[chunk] = std::make_unique<number_chunk>();
    auto& held = numbers_[chunk]->at(place % chunk_size);
    // A deleted key keeps its number only until another has taken it over.
    if (held == 0 || now.stage == enrolment::accepted) held = prefix;
}

void system_cache::forget(const fingerprint& print, const compact_system_record& before) {
    counted_.remove(before.stage(), before.zone(), slot::of(print));
    if (is_unaccepted(before.stage())) unaccepted_.erase({before.enrolled(), print});
    if (before.stage() == enrolment::accepted && !before.machine_id().empty())
        machines_.erase({digest_of(before.machine_id()), system_map::prefix_of(print)});
    if (!before.number()) return;
    const auto place = static_cast<std::size_t>(before.number().value());
    auto& held = numbers_[place / chunk_size]->at(place % chunk_size);
    // A key that took over the number of another stays its holder.
    if (held == system_map::prefix_of(print)) held = 0;
}

void system_cache::tell(std::span<const change> changes) const {
    if (changes.empty()) return;
    for (const auto& watcher : watchers_) watcher(changes);
}

}  // namespace muster::fleet
