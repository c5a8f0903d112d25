#include "core/kv/store.h"

#include "base/assert.h"
#include "core/kv/validate.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace muster::kv {
namespace {

constexpr std::size_t leases_expired_max = 256;  // by one call of expire()

std::size_t bytes_of(const entry& entry) {
    return entry.key.size() + entry.value.size();
}

// Whether a condition is met by the entry of its key; null if the key does not exist.
struct condition_check {
    const kv::entry* entry;

    bool operator()(const absent& /*what*/) const { return entry == nullptr; }
    bool operator()(const present& /*what*/) const { return entry != nullptr; }
    bool operator()(const unchanged& unchanged) const {
        return entry != nullptr && entry->modified == unchanged.modified;
    }
    bool operator()(const value_is& value_is) const {
        return entry != nullptr && entry->value == value_is.value;
    }
};

const std::string& key_of(const condition& condition) {
    return std::visit(
        [](const auto& alternative) -> const std::string& { return alternative.key; }, condition);
}

result<void> no_such_lease(lease_id lease) {
    return fail(errc::not_found, "lease " + std::to_string(lease.value()) + " not found");
}

}  // namespace

store::store(store_options options) : options_(options), history_(options.history, revision(1)) {}

result<store> store::restore(const kv::snapshot& snapshot, store_options options, instant now) {
    store result(options);
    if (const auto loaded = result.load_snapshot(snapshot, now); !loaded)
        return fail(loaded.error());
    return result;
}

result<void> store::load_snapshot(const kv::snapshot& snapshot, instant now) {
    at_ = snapshot.at;
    last_lease_ = snapshot.last_lease;
    for (const lease_record& lease : snapshot.leases) {
        const bool valid = lease.id > lease_id() && lease.id <= last_lease_ && check_ttl(lease.ttl);
        if (!valid || leases_.contains(lease.id)) {
            return fail(errc::corrupt, "invalid lease " + std::to_string(lease.id.value()));
        }
        leases_.add(lease.id, lease.ttl, now);
    }
    for (const entry& entry : snapshot.entries) {
        const bool ordered = revision() < entry.created && entry.created <= entry.modified;
        const bool lease_valid = !entry.lease || leases_.contains(entry.lease);
        const bool valid = check_key(entry.key) && ordered && entry.modified <= at_ && lease_valid;
        if (!valid || !entries_.try_emplace(entry.key, entry).second) {
            return fail(errc::corrupt, "invalid entry " + printable(entry.key));
        }
        if (entry.lease) leases_.attach(entry.lease, entry.key);
        bytes_ += bytes_of(entry);
    }
    history_ = history(options_.history, snapshot.oldest);
    history_.append(snapshot.history);
    return {};
}

snapshot store::take_snapshot() const {
    kv::snapshot result{.at = at_, .last_lease = last_lease_, .oldest = oldest()};
    result.entries.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) result.entries.push_back(entry);
    for (const auto& [id, lease] : leases_.all()) result.leases.push_back({id, lease.ttl});
    result.history.assign(history_.changes().begin(), history_.changes().end());
    return result;
}

result<lookup> store::get(std::string_view key) const {
    CHECK_OK(check_key(key));
    const auto it = entries_.find(key);
    if (it == entries_.end()) return lookup{.at = at_};
    return lookup{.found = it->second, .at = at_};
}

result<page> store::range(const range_request& request) const {
    CHECK_OK(check_range(request));
    kv::page result{.at = at_};
    auto it = request.after < request.prefix ? entries_.lower_bound(request.prefix)
                                             : entries_.upper_bound(request.after);
    if (request.after.empty()) it = entries_.lower_bound(request.prefix);
    for (; it != entries_.end() && it->first.starts_with(request.prefix); ++it) {
        if (result.entries.size() == request.limit) {
            result.more = true;
            break;
        }
        result.entries.push_back(it->second);
    }
    return result;
}

result<commit_outcome> store::commit(const kv::transaction& transaction) {
    CHECK_OK(check_transaction(transaction));
    const bool all_met = std::ranges::all_of(
        transaction.when, [this](const condition& condition) { return is_met(condition); });
    if (!all_met) {
        auto current = find_named_entries(transaction.when);
        return commit_outcome{
            .result = {.committed = false, .at = at_, .current = std::move(current)}};
    }
    CHECK_OK(check_leases(transaction));
    CHECK_OK(check_size(transaction));
    commit_outcome outcome;
    for (const operation& operation : transaction.then)
        apply(operation, at_.next(), outcome.changes);
    finish_revision(outcome.changes);
    outcome.result = {.committed = true, .at = at_};
    return outcome;
}

bool store::is_met(const condition& condition) const {
    const auto it = entries_.find(key_of(condition));
    const kv::entry* const entry = it == entries_.end() ? nullptr : &it->second;
    return std::visit(condition_check{entry}, condition);
}

std::vector<entry> store::find_named_entries(const std::vector<condition>& conditions) const {
    std::set<std::string_view> keys;
    for (const condition& condition : conditions) keys.insert(key_of(condition));
    std::vector<entry> entries;
    for (const auto key : keys) {
        const auto it = entries_.find(key);
        if (it != entries_.end()) entries.push_back(it->second);
    }
    return entries;
}

result<void> store::check_leases(const kv::transaction& transaction) const {
    for (const operation& operation : transaction.then) {
        const auto* const write_request = std::get_if<put>(&operation);
        if (write_request == nullptr || !write_request->lease
            || leases_.contains(write_request->lease))
            continue;
        return no_such_lease(write_request->lease);
    }
    return {};
}

result<void> store::check_size(const kv::transaction& transaction) const {
    if (bytes_ + kv::bytes_of(transaction) <= options_.bytes_max) return {};
    std::size_t added = 0;
    std::size_t freed = 0;
    for (const operation& operation : transaction.then) {
        const auto* const write_request = std::get_if<put>(&operation);
        if (write_request == nullptr) continue;
        added += write_request->key.size() + write_request->value.size();
        const auto it = entries_.find(write_request->key);
        if (it != entries_.end()) freed += bytes_of(it->second);
    }
    if (added <= freed || bytes_ + added - freed <= options_.bytes_max) return {};
    return fail(
        errc::unavailable,
        "metastore is full: " + std::to_string(bytes_) + " of " + std::to_string(options_.bytes_max)
            + " bytes used; delete unneeded records");
}

change store::write(const put& request, revision at) {
    auto [it, is_new] = entries_.try_emplace(request.key);
    entry& target = it->second;
    if (is_new) {
        target.key = request.key;
        target.created = at;
    } else {
        bytes_ -= bytes_of(target);
        if (target.lease) leases_.detach(target.lease, target.key);
    }
    target.value = request.value;
    target.modified = at;
    target.lease = request.lease;
    bytes_ += bytes_of(target);
    if (target.lease) leases_.attach(target.lease, target.key);
    return written{target};
}

void store::erase_entry(entry_map::iterator it, revision at, std::vector<change>& changes) {
    const kv::entry& entry = it->second;
    bytes_ -= bytes_of(entry);
    if (entry.lease) leases_.detach(entry.lease, entry.key);
    changes.emplace_back(erased{it->first, at});
    entries_.erase(it);
}

void store::apply(const operation& operation, revision at, std::vector<change>& changes) {
    if (const auto* const write_request = std::get_if<put>(&operation)) {
        changes.push_back(write(*write_request, at));
    } else if (const auto* const erase_request = std::get_if<erase>(&operation)) {
        const auto it = entries_.find(erase_request->key);
        if (it != entries_.end()) erase_entry(it, at, changes);
    } else {
        const std::string& prefix = std::get<erase_prefix>(operation).prefix;
        auto it = entries_.lower_bound(prefix);
        while (it != entries_.end() && it->first.starts_with(prefix)) {
            erase_entry(it++, at, changes);
        }
    }
}

void store::finish_revision(std::vector<change>& changes) {
    if (changes.empty()) return;
    std::ranges::sort(
        changes, {}, [](const change& change) -> const std::string& { return kv::key_of(change); });
    at_ = at_.next();
    history_.append(changes);
}

result<lease_id> store::grant(std::chrono::seconds ttl, instant now) {
    CHECK_OK(check_ttl(ttl));
    if (leases_.size() >= limits::leases_max) {
        return fail(
            errc::unavailable,
            "limit of " + std::to_string(limits::leases_max) + " leases reached");
    }
    last_lease_ = last_lease_.next();
    leases_.add(last_lease_, ttl, now);
    return last_lease_;
}

result<void> store::keep_alive(lease_id lease, instant now) {
    if (!leases_.extend(lease, now)) return no_such_lease(lease);
    return {};
}

result<lease_end> store::revoke(lease_id lease) {
    if (!leases_.contains(lease)) return fail(no_such_lease(lease).error());
    return end_lease(lease);
}

std::vector<lease_end> store::expire(instant now) {
    std::vector<lease_end> ends;
    for (const lease_id lease : leases_.due(now, leases_expired_max)) {
        ends.push_back(end_lease(lease));
    }
    return ends;
}

lease_end store::end_lease(lease_id lease) {
    lease_end end{.lease = lease};
    for (const std::string& key : leases_.end(lease)) {
        const auto it = entries_.find(key);
        MUSTER_ASSERT(it != entries_.end());
        it->second.lease = {};
        erase_entry(it, at_.next(), end.changes);
    }
    finish_revision(end.changes);
    return end;
}

std::optional<watch_event> store::changes_since(std::string_view prefix, revision from) const {
    return history_.since(prefix, std::max(from, revision(1)), at_);
}

result<void> store::compact(revision oldest) {
    if (oldest > at_) {
        return fail(
            errc::invalid,
            "revision " + std::to_string(oldest.value()) + " is newer than the current revision "
                + std::to_string(at_.value()));
    }
    history_.forget_before(oldest);
    return {};
}

}  // namespace muster::kv
