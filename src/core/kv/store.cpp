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

// Whether one condition holds for the entry of its key, which is null when there is none.
struct holds_for {
    const entry* found;

    bool operator()(const absent& /*what*/) const { return found == nullptr; }
    bool operator()(const present& /*what*/) const { return found != nullptr; }
    bool operator()(const unchanged& unchanged) const {
        return found != nullptr && found->modified == unchanged.modified;
    }
    bool operator()(const value_is& value_is) const {
        return found != nullptr && found->value == value_is.value;
    }
};

const std::string& key_of(const condition& condition) {
    return std::visit([](const auto& one) -> const std::string& { return one.key; }, condition);
}

result<void> no_such_lease(lease_id lease) {
    return fail(errc::not_found, "lease " + std::to_string(lease.value()) + " does not exist");
}

}  // namespace

store::store(store_options options) : options_(options), history_(options.history, revision(1)) {}

result<store> store::restore(const snapshot& from, store_options options, instant now) {
    store result(options);
    if (const auto adopted = result.adopt(from, now); !adopted) return fail(adopted.error());
    return result;
}

result<void> store::adopt(const snapshot& from, instant now) {
    at_ = from.at;
    last_lease_ = from.last_lease;
    for (const lease_record& lease : from.leases) {
        const bool possible =
            lease.id > lease_id() && lease.id <= last_lease_ && check_ttl(lease.ttl);
        if (!possible || leases_.contains(lease.id)) {
            return fail(errc::corrupt, "lease " + std::to_string(lease.id.value()) + " cannot be");
        }
        leases_.add(lease.id, lease.ttl, now);
    }
    for (const entry& entry : from.entries) {
        const bool ordered = revision() < entry.created && entry.created <= entry.modified;
        const bool leased = !entry.lease || leases_.contains(entry.lease);
        const bool possible = check_key(entry.key) && ordered && entry.modified <= at_ && leased;
        if (!possible || !entries_.try_emplace(entry.key, entry).second) {
            return fail(errc::corrupt, "the entry " + printable(entry.key) + " cannot be");
        }
        if (entry.lease) leases_.attach(entry.lease, entry.key);
        bytes_ += bytes_of(entry);
    }
    history_ = history(options_.history, from.oldest);
    history_.append(from.history);
    return {};
}

snapshot store::take_snapshot() const {
    snapshot reserved{.at = at_, .last_lease = last_lease_, .oldest = oldest()};
    reserved.entries.reserve(entries_.size());
    for (const auto& [key, one] : entries_) reserved.entries.push_back(one);
    for (const auto& [id, one] : leases_.all()) reserved.leases.push_back({id, one.ttl});
    reserved.history.assign(history_.changes().begin(), history_.changes().end());
    return reserved;
}

result<lookup> store::get(std::string_view key) const {
    CHECK_OK(check_key(key));
    const auto it = entries_.find(key);
    if (it == entries_.end()) return lookup{.at = at_};
    return lookup{.found = it->second, .at = at_};
}

result<page> store::range(const range_request& request) const {
    CHECK_OK(check_range(request));
    page answer{.at = at_};
    auto next = request.after < request.prefix ? entries_.lower_bound(request.prefix)
                                               : entries_.upper_bound(request.after);
    if (request.after.empty()) next = entries_.lower_bound(request.prefix);
    for (; next != entries_.end() && next->first.starts_with(request.prefix); ++next) {
        if (answer.entries.size() == request.limit) {
            answer.more = true;
            break;
        }
        answer.entries.push_back(next->second);
    }
    return answer;
}

result<commit_outcome> store::commit(const transaction& change) {
    CHECK_OK(check_transaction(change));
    const bool all_hold = std::ranges::all_of(
        change.when, [this](const condition& condition) { return holds(condition); });
    if (!all_hold) {
        auto current = entries_named_by(change.when);
        return commit_outcome{
            .answer = {.committed = false, .at = at_, .current = std::move(current)}};
    }
    CHECK_OK(check_leases(change));
    CHECK_OK(check_room(change));
    commit_outcome outcome;
    for (const operation& operation : change.then) apply(operation, at_.next(), outcome.changes);
    finish_revision(outcome.changes);
    outcome.answer = {.committed = true, .at = at_};
    return outcome;
}

bool store::holds(const condition& condition) const {
    const auto it = entries_.find(key_of(condition));
    const entry* const there = it == entries_.end() ? nullptr : &it->second;
    return std::visit(holds_for{there}, condition);
}

std::vector<entry> store::entries_named_by(const std::vector<condition>& conditions) const {
    std::set<std::string_view> keys;
    for (const condition& one : conditions) keys.insert(key_of(one));
    std::vector<entry> named;
    for (const auto key : keys) {
        const auto it = entries_.find(key);
        if (it != entries_.end()) named.push_back(it->second);
    }
    return named;
}

result<void> store::check_leases(const transaction& change) const {
    for (const operation& operation : change.then) {
        const auto* const written = std::get_if<put>(&operation);
        if (written == nullptr || !written->lease || leases_.contains(written->lease)) continue;
        return no_such_lease(written->lease);
    }
    return {};
}

result<void> store::check_room(const transaction& change) const {
    if (bytes_ + kv::bytes_of(change) <= options_.bytes_max) return {};
    std::size_t added = 0;
    std::size_t freed = 0;
    for (const operation& operation : change.then) {
        const auto* const written = std::get_if<put>(&operation);
        if (written == nullptr) continue;
        added += written->key.size() + written->value.size();
        const auto replaced = entries_.find(written->key);
        if (replaced != entries_.end()) freed += bytes_of(replaced->second);
    }
    if (added <= freed || bytes_ + added - freed <= options_.bytes_max) return {};
    return fail(
        errc::unavailable,
        "the metastore is full: it holds " + std::to_string(bytes_) + " bytes, the limit is "
            + std::to_string(options_.bytes_max) + "; erase what is not needed");
}

change store::write(const put& put, revision at) {
    auto [place, is_new] = entries_.try_emplace(put.key);
    entry& target = place->second;
    if (is_new) {
        target.key = put.key;
        target.created = at;
    } else {
        bytes_ -= bytes_of(target);
        if (target.lease) leases_.detach(target.lease, target.key);
    }
    target.value = put.value;
    target.modified = at;
    target.lease = put.lease;
    bytes_ += bytes_of(target);
    if (target.lease) leases_.attach(target.lease, target.key);
    return written{target};
}

void store::erase_at(entry_map::iterator victim, revision at, std::vector<change>& changes) {
    const entry& gone = victim->second;
    bytes_ -= bytes_of(gone);
    if (gone.lease) leases_.detach(gone.lease, gone.key);
    changes.emplace_back(erased{victim->first, at});
    entries_.erase(victim);
}

void store::apply(const operation& operation, revision at, std::vector<change>& changes) {
    if (const auto* const one = std::get_if<put>(&operation)) {
        changes.push_back(write(*one, at));
    } else if (const auto* const key = std::get_if<erase>(&operation)) {
        const auto victim = entries_.find(key->key);
        if (victim != entries_.end()) erase_at(victim, at, changes);
    } else {
        const std::string& prefix = std::get<erase_prefix>(operation).prefix;
        auto next = entries_.lower_bound(prefix);
        while (next != entries_.end() && next->first.starts_with(prefix)) {
            erase_at(next++, at, changes);
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
            "there are " + std::to_string(limits::leases_max) + " leases already, the limit");
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
    std::vector<lease_end> ended;
    for (const lease_id lease : leases_.due(now, leases_expired_max)) {
        ended.push_back(end_lease(lease));
    }
    return ended;
}

lease_end store::end_lease(lease_id lease) {
    lease_end ended{.lease = lease};
    for (const std::string& key : leases_.end(lease)) {
        const auto victim = entries_.find(key);
        MUSTER_ASSERT(victim != entries_.end());
        victim->second.lease = {};
        erase_at(victim, at_.next(), ended.changes);
    }
    finish_revision(ended.changes);
    return ended;
}

std::optional<watch_event> store::changes_since(std::string_view prefix, revision from) const {
    return history_.since(prefix, std::max(from, revision(1)), at_);
}

result<void> store::compact(revision oldest) {
    if (oldest > at_) {
        return fail(
            errc::invalid,
            "revision " + std::to_string(oldest.value()) + " lies in the future, now is "
                + std::to_string(at_.value()));
    }
    history_.forget_before(oldest);
    return {};
}

}  // namespace muster::kv
