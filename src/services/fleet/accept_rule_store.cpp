#include "services/fleet/accept_rule_store.h"

#include "ports/deadline.h"
#include "services/cluster/keys.h"
#include "services/cluster/topology_record.h"
#include "services/cluster/zones.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;
namespace keys = cluster::keys;

constexpr auto look_interval = 30s;  // also when the watch tells nothing
constexpr auto pause_after_failure = 1s;
constexpr int attempts_max = 50;

// Where an activation key is taken; nothing for other rules, of which several may ask for one key.
std::optional<std::string> place_of_key(const stored_rule& rule) {
    if (!rule.as_key) return std::nullopt;
    return keys::under(keys::accept_rule_keys, rule.key_digest);
}

std::unexpected<error> no_zone(const std::string& zone) {
    return fail(errc::invalid, "Zone " + zone + " was not found");
}

}  // namespace

std::shared_ptr<const accept_rule_store::rules> accept_rule_store::current() const {
    const std::lock_guard lock(guard_);
    return current_;
}

bool accept_rule_store::is_a_key(std::string_view digest) const {
    const auto now = current();
    return std::ranges::any_of(*now, [&](const rule& rule) {
        return rule.stored.as_key && rule.stored.key_digest == digest;
    });
}

async<bool> accept_rule_store::has_zone(std::string zone) {
    if (zone == cluster::default_zone) co_return true;
    CO_TRY(const auto there, co_await metastore_.get(keys::zone(zone)));
    co_return there.found.has_value();
}

// A zone is not removed while rules lead to it; one that is gone was removed otherwise.
async<void> accept_rule_store::look_for_zones(rules& among) {
    std::map<std::string, bool, std::less<>> existing;
    for (auto& each : among) {
        const auto& zone = each.stored.zone;
        if (!existing.contains(zone)) {
            CO_TRY(const bool there, co_await has_zone(zone));
            existing.emplace(zone, there);
        }
        each.has_zone = existing.at(zone);
        if (each.has_zone) continue;
        log_.warning(
            "an accept rule is not applied: its zone is gone",
            {{"rule", each.stored.name}, {"zone", zone}});
    }
    co_return result<void>();
}

async<kv::revision> accept_rule_store::reload() {
    kv::range_request all{
        .prefix = std::string(keys::accept_rules), .limit = rule_limits::rules_max};
    CO_TRY(const auto page, co_await metastore_.range(std::move(all)));
    auto read = std::make_shared<rules>();
    for (const auto& entry : page.entries) {
        const auto stored = decode_rule(entry.value);
        auto applied =
            stored ? compiled(*stored) : result<lifecycle::accept_rule>(fail(stored.error()));
        if (applied) {
            read->push_back({.stored = *stored, .applied = std::move(*applied)});
        } else {
            log_.error(
                "an accept rule is not applied",
                {{"key", entry.key}, {"reason", to_string(applied.error())}});
        }
    }
    CO_CHECK_OK(co_await look_for_zones(*read));
    const std::lock_guard lock(guard_);
    current_ = std::move(read);
    co_return page.at;
}

// There are few rules and they change rarely, so any change reads them all.
async<void> accept_rule_store::follow(kv::revision from) {
    const auto changes = metastore_.watch(std::string(keys::accept_rules), from.next());
    while (true) {
        const auto event = co_await within(clock_, look_interval, changes->next());
        if (!event && event.error().code() != errc::timed_out) co_return fail(event.error());
        CO_TRY(const auto at, co_await reload());
        static_cast<void>(at);
        if (event && std::holds_alternative<kv::compacted>(*event)) co_return result<void>();
    }
}

boost::asio::awaitable<void> accept_rule_store::run() {
    while (true) {
        const auto at = co_await reload();
        auto done = at ? result<void>() : result<void>(fail(at.error()));
        if (done) done = co_await follow(*at);
        if (done) continue;
        if (done.error().code() == errc::cancelled) co_return;
        log_.warning("cannot follow the accept rules", {{"reason", to_string(done.error())}});
        const auto slept = co_await clock_.sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

async<void> accept_rule_store::add(stored_rule stored_rule) {
    CO_TRY(const auto applied, compiled(stored_rule));
    if (current()->size() >= rule_limits::rules_max)
        co_return fail(errc::conflict, "there are too many accept rules already");
    const auto key = keys::under(keys::accept_rules, applied.name);
    kv::transaction change;
    change.when.push_back(kv::absent{key});
    change.then.push_back(kv::put{.key = key, .value = encode(stored_rule)});
    cluster::zones::require(change, stored_rule.zone);
    if (const auto place = place_of_key(stored_rule)) {
        if (is_a_key(stored_rule.key_digest))  // also one from before places were taken
            co_return fail(errc::conflict, "there is such an activation key already");
        change.when.push_back(kv::absent{*place});
        change.then.push_back(kv::put{.key = *place, .value = stored_rule.name});
    }
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed && cluster::zones::is_gone(verdict, stored_rule.zone))
        co_return no_zone(stored_rule.zone);
    if (!verdict.committed)
        co_return fail(
            errc::conflict,
            stored_rule.as_key ? "there is such an activation key already"
                               : "there is a rule named " + stored_rule.name + " already");
    CO_CHECK_OK(co_await reload());
    co_return result<void>();
}

async<void> accept_rule_store::remove(std::string name) {
    const auto key = keys::under(keys::accept_rules, name);
    CO_TRY(const auto there, co_await metastore_.get(key));
    const auto stored = there.found ? decode_rule(there.found->value)
                                    : result<stored_rule>(fail(errc::not_found, name));
    kv::transaction change;
    change.when.push_back(kv::present{key});
    change.then.push_back(kv::erase{key});
    change.then.push_back(kv::erase{keys::under(keys::accept_rule_uses, name)});
    // A key's digest never changes, so it is that of whatever is erased.
    if (const auto place = stored ? place_of_key(*stored) : std::nullopt)
        change.then.push_back(kv::erase{*place});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return fail(errc::not_found, "there is no rule named " + name);
    CO_CHECK_OK(co_await reload());
    co_return result<void>();
}

async<stored_rule> accept_rule_store::change(std::string name, alteration alteration) {
    const auto key = keys::under(keys::accept_rules, name);
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto there, co_await metastore_.get(key));
        if (!there.found) co_return fail(errc::not_found, "there is no rule named " + name);
        CO_TRY(auto next, decode_rule(there.found->value));
        const auto zone_before = next.zone;
        CO_CHECK_OK(alteration(next));
        CO_CHECK_OK(compiled(next));
        kv::transaction change;
        change.when.push_back(kv::unchanged{.key = key, .modified = there.found->modified});
        change.then.push_back(kv::put{.key = key, .value = encode(next)});
        const bool moves = next.zone != zone_before;
        if (moves) cluster::zones::require(change, next.zone);
        CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
        if (!verdict.committed && moves && cluster::zones::is_gone(verdict, next.zone))
            co_return no_zone(next.zone);
        if (!verdict.committed) continue;
        CO_CHECK_OK(co_await reload());
        co_return next;
    }
    co_return fail(errc::unavailable, "others keep changing the rule " + name + "; try again");
}

async<bool> accept_rule_store::use(
    std::string name, std::int64_t limit, fingerprint by, departure gone) {
    const auto key = keys::under(keys::accept_rule_uses, name);
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto there, co_await metastore_.get(key));
        stored_uses now;
        if (there.found) {
            CO_TRY(now, decode_uses(there.found->value));
        }
        if (std::ranges::find(now.by, by.str()) != now.by.end()) co_return true;
        const auto full = [&] {
            return std::ssize(now.by) >= limit;
        };
        if (full()) std::erase_if(now.by, gone);
        if (full()) co_return false;
        now.by.push_back(by.str());
        kv::transaction change;
        if (there.found) {
            change.when.push_back(kv::unchanged{.key = key, .modified = there.found->modified});
        } else {
            change.when.push_back(kv::absent{key});
        }
        change.then.push_back(kv::put{.key = key, .value = encode(now)});
        CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
        if (verdict.committed) co_return true;
    }
    co_return fail(errc::unavailable, "too many systems use the same key at once; try again");
}

async<void> accept_rule_store::add_token(
    std::string digest, stored_token stored_token, std::chrono::seconds ttl) {
    CO_TRY(const auto lease, co_await metastore_.grant(ttl));
    const auto key = keys::under(keys::enrolment_tokens, digest);
    kv::transaction change;
    change.when.push_back(kv::absent{key});
    change.then.push_back(kv::put{.key = key, .value = encode(stored_token), .lease = lease});
    cluster::zones::require(change, stored_token.zone);
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed && cluster::zones::is_gone(verdict, stored_token.zone))
        co_return no_zone(stored_token.zone);
    if (!verdict.committed) co_return fail(errc::conflict, "this token is there already");
    co_return result<void>();
}

async<std::optional<stored_token>> accept_rule_store::use_token(
    std::string digest, fingerprint by) {
    const auto key = keys::under(keys::enrolment_tokens, digest);
    const auto nobody = std::optional<stored_token>();
    CO_TRY(const auto there, co_await metastore_.get(key));
    if (!there.found) co_return nobody;
    CO_TRY(auto token, decode_token(there.found->value));
    if (!token.used_by.empty() && token.used_by != by.str()) co_return nobody;
    CO_TRY(const bool there_is_zone, co_await has_zone(token.zone));
    if (!there_is_zone) {
        log_.warning("a token leads to a zone that is gone", {{"zone", token.zone}});
        co_return nobody;
    }
    if (!token.used_by.empty()) co_return token;
    token.used_by = by.str();
    kv::transaction change;
    change.when.push_back(kv::unchanged{.key = key, .modified = there.found->modified});
    change.then.push_back(kv::put{.key = key, .value = encode(token), .lease = there.found->lease});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (verdict.committed) co_return token;
    // Somebody was faster; perhaps this very system, on its earlier attempt.
    if (verdict.current.empty()) co_return nobody;
    CO_TRY(auto reserved, decode_token(verdict.current.front().value));
    co_return reserved.used_by == by.str() ? std::optional(reserved) : nobody;
}

}  // namespace muster::fleet
