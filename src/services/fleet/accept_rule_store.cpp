#include "services/fleet/accept_rule_store.h"

#include "ports/deadline.h"
#include "services/cluster/keys.h"
#include "services/cluster/topology_record.h"
#include "services/cluster/zone_service.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;
namespace keys = cluster::keys;

constexpr auto reload_interval = 30s;  // also without a watch event
constexpr auto pause_after_failure = 1s;
constexpr int attempts_max = 50;

// The key of the metastore that makes an activation key unique. Nothing for other rules, several of
// which may require the same key.
std::optional<std::string> activation_key_entry(const stored_rule& rule) {
    if (!rule.as_key) return std::nullopt;
    return keys::under(keys::accept_rule_keys, rule.key_digest);
}

std::unexpected<error> zone_not_found(const std::string& zone) {
    return fail(errc::invalid, "zone \"" + zone + "\" not found");
}

}  // namespace

std::shared_ptr<const accept_rule_store::rules> accept_rule_store::current() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

bool accept_rule_store::has_activation_key(std::string_view digest) const {
    const auto rules = current();
    return std::ranges::any_of(*rules, [&](const rule& rule) {
        return rule.stored.as_key && rule.stored.key_digest == digest;
    });
}

async<bool> accept_rule_store::has_zone(std::string zone) {
    if (zone == cluster::default_zone) co_return true;
    CO_TRY(const auto stored, co_await metastore_.get(keys::zone(zone)));
    co_return stored.found.has_value();
}

// A zone with rules cannot be removed, so a missing zone was removed by other means.
async<void> accept_rule_store::check_zones(rules& loaded) {
    std::map<std::string, bool, std::less<>> zone_exists;
    for (auto& rule : loaded) {
        const auto& zone = rule.stored.zone;
        if (!zone_exists.contains(zone)) {
            CO_TRY(const bool exists, co_await has_zone(zone));
            zone_exists.emplace(zone, exists);
        }
        rule.has_zone = zone_exists.at(zone);
        if (rule.has_zone) continue;
        log_.warning(
            "accept rule ignored: zone not found", {{"rule", rule.stored.name}, {"zone", zone}});
    }
    co_return result<void>();
}

async<kv::revision> accept_rule_store::reload() {
    kv::range_request request{
        .prefix = std::string(keys::accept_rules), .limit = rule_limits::rules_max};
    CO_TRY(const auto page, co_await metastore_.range(std::move(request)));
    auto loaded = std::make_shared<rules>();
    for (const auto& entry : page.entries) {
        const auto stored = decode_rule(entry.value);
        auto compiled =
            stored ? compile(*stored) : result<lifecycle::accept_rule>(fail(stored.error()));
        if (compiled) {
            loaded->push_back({.stored = *stored, .compiled = std::move(*compiled)});
        } else {
            log_.error(
                "unreadable accept rule ignored",
                {{"key", entry.key}, {"error", to_string(compiled.error())}});
        }
    }
    CO_CHECK_OK(co_await check_zones(*loaded));
    const std::lock_guard lock(mutex_);
    current_ = std::move(loaded);
    co_return page.at;
}

// Rules are few and change rarely, so any change reloads all of them.
async<void> accept_rule_store::follow(kv::revision revision) {
    const auto changes = metastore_.watch(std::string(keys::accept_rules), revision.next());
    while (true) {
        const auto event = co_await within(clock_, reload_interval, changes->next());
        if (!event && event.error().code() != errc::timed_out) co_return fail(event.error());
        CO_TRY(const auto reloaded, co_await reload());
        static_cast<void>(reloaded);
        if (event && std::holds_alternative<kv::compacted>(*event)) co_return result<void>();
    }
}

boost::asio::awaitable<void> accept_rule_store::run() {
    while (true) {
        const auto revision = co_await reload();
        auto followed = revision ? result<void>() : result<void>(fail(revision.error()));
        if (followed) followed = co_await follow(*revision);
        if (followed) continue;
        if (followed.error().code() == errc::cancelled) co_return;
        log_.warning("accept rule follow failed", {{"error", to_string(followed.error())}});
        const auto slept = co_await clock_.sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

async<void> accept_rule_store::add(stored_rule rule) {
    CO_TRY(const auto compiled, compile(rule));
    if (current()->size() >= rule_limits::rules_max)
        co_return fail(
            errc::conflict,
            "limit of " + std::to_string(rule_limits::rules_max) + " accept rules reached");
    const auto key = keys::under(keys::accept_rules, compiled.name);
    kv::transaction change;
    change.when.push_back(kv::absent{key});
    change.then.push_back(kv::put{.key = key, .value = encode(rule)});
    cluster::zone_service::require_zone(change, rule.zone);
    if (const auto unique_key = activation_key_entry(rule)) {
        if (has_activation_key(rule.key_digest))  // older keys have no unique key
            co_return fail(errc::conflict, "activation key already exists");
        change.when.push_back(kv::absent{*unique_key});
        change.then.push_back(kv::put{.key = *unique_key, .value = rule.name});
    }
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed && cluster::zone_service::is_gone(outcome, rule.zone))
        co_return zone_not_found(rule.zone);
    if (!outcome.committed)
        co_return fail(
            errc::conflict,
            rule.as_key ? "activation key already exists"
                        : "accept rule \"" + rule.name + "\" already exists");
    CO_CHECK_OK(co_await reload());
    co_return result<void>();
}

async<void> accept_rule_store::remove(std::string name) {
    const auto key = keys::under(keys::accept_rules, name);
    CO_TRY(const auto current, co_await metastore_.get(key));
    const auto stored = current.found ? decode_rule(current.found->value)
                                      : result<stored_rule>(fail(errc::not_found, name));
    kv::transaction change;
    change.when.push_back(kv::present{key});
    change.then.push_back(kv::erase{key});
    change.then.push_back(kv::erase{keys::under(keys::accept_rule_uses, name)});
    // The digest of a key never changes, so this is the digest of the erased rule.
    if (const auto unique_key = stored ? activation_key_entry(*stored) : std::nullopt)
        change.then.push_back(kv::erase{*unique_key});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::not_found, "accept rule \"" + name + "\" not found");
    CO_CHECK_OK(co_await reload());
    co_return result<void>();
}

async<stored_rule> accept_rule_store::change(std::string name, update_function update) {
    const auto key = keys::under(keys::accept_rules, name);
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto current, co_await metastore_.get(key));
        if (!current.found)
            co_return fail(errc::not_found, "accept rule \"" + name + "\" not found");
        CO_TRY(auto updated, decode_rule(current.found->value));
        const auto zone_before = updated.zone;
        CO_CHECK_OK(update(updated));
        CO_CHECK_OK(compile(updated));
        kv::transaction change;
        change.when.push_back(kv::unchanged{.key = key, .modified = current.found->modified});
        change.then.push_back(kv::put{.key = key, .value = encode(updated)});
        const bool zone_changes = updated.zone != zone_before;
        if (zone_changes) cluster::zone_service::require_zone(change, updated.zone);
        CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
        if (!outcome.committed && zone_changes
            && cluster::zone_service::is_gone(outcome, updated.zone))
            co_return zone_not_found(updated.zone);
        if (!outcome.committed) continue;
        CO_CHECK_OK(co_await reload());
        co_return updated;
    }
    co_return fail(
        errc::unavailable, "accept rule \"" + name + "\" was modified concurrently; retry");
}

async<bool> accept_rule_store::use(
    std::string name, std::int64_t limit, fingerprint system, gone_predicate is_gone) {
    const auto key = keys::under(keys::accept_rule_uses, name);
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto stored, co_await metastore_.get(key));
        stored_uses uses;
        if (stored.found) {
            CO_TRY(uses, decode_uses(stored.found->value));
        }
        if (std::ranges::find(uses.systems, system.str()) != uses.systems.end()) co_return true;
        const auto is_full = [&] {
            return std::ssize(uses.systems) >= limit;
        };
        if (is_full()) std::erase_if(uses.systems, is_gone);
        if (is_full()) co_return false;
        uses.systems.push_back(system.str());
        kv::transaction change;
        if (stored.found) {
            change.when.push_back(kv::unchanged{.key = key, .modified = stored.found->modified});
        } else {
            change.when.push_back(kv::absent{key});
        }
        change.then.push_back(kv::put{.key = key, .value = encode(uses)});
        CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
        if (outcome.committed) co_return true;
    }
    co_return fail(errc::unavailable, "too many concurrent uses of the activation key; retry");
}

async<void> accept_rule_store::add_token(
    std::string digest, stored_token token, std::chrono::seconds ttl) {
    CO_TRY(const auto lease, co_await metastore_.grant(ttl));
    const auto key = keys::under(keys::enrolment_tokens, digest);
    kv::transaction change;
    change.when.push_back(kv::absent{key});
    change.then.push_back(kv::put{.key = key, .value = encode(token), .lease = lease});
    cluster::zone_service::require_zone(change, token.zone);
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed && cluster::zone_service::is_gone(outcome, token.zone))
        co_return zone_not_found(token.zone);
    if (!outcome.committed) co_return fail(errc::conflict, "enrolment token already exists");
    co_return result<void>();
}

async<std::optional<stored_token>> accept_rule_store::use_token(
    std::string digest, fingerprint system) {
    const auto key = keys::under(keys::enrolment_tokens, digest);
    const auto none = std::optional<stored_token>();
    CO_TRY(const auto stored, co_await metastore_.get(key));
    if (!stored.found) co_return none;
    CO_TRY(auto token, decode_token(stored.found->value));
    if (!token.used_by.empty() && token.used_by != system.str()) co_return none;
    CO_TRY(const bool zone_exists, co_await has_zone(token.zone));
    if (!zone_exists) {
        log_.warning("enrolment token ignored: zone not found", {{"zone", token.zone}});
        co_return none;
    }
    if (!token.used_by.empty()) co_return token;
    token.used_by = system.str();
    kv::transaction change;
    change.when.push_back(kv::unchanged{.key = key, .modified = stored.found->modified});
    change.then.push_back(
        kv::put{.key = key, .value = encode(token), .lease = stored.found->lease});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (outcome.committed) co_return token;
    // Another use was faster; it may be an earlier attempt of the same system.
    if (outcome.current.empty()) co_return none;
    CO_TRY(auto winner, decode_token(outcome.current.front().value));
    co_return winner.used_by == system.str() ? std::optional(winner) : none;
}

}  // namespace muster::fleet
