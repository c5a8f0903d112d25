#include "services/cluster/zones.h"

#include "runtime/json/record_reader.h"
#include "services/cluster/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::cluster {
namespace {

membership::zone_tree tree_from(const std::map<std::string, zone_record, std::less<>>& zones) {
    membership::zone_tree::parents parents;
    for (const auto& [name, zone] : zones) parents.emplace(name, zone.parent);
    return membership::zone_tree(std::move(parents));
}

std::unexpected<error> unknown(const std::string& name) {
    return fail(errc::not_found, fmt::format("Zone {} was not found", name));
}

std::unexpected<error> changed_meanwhile() {
    return fail(errc::unavailable, "the zones changed meanwhile; try again");
}

}  // namespace

membership::zone_tree tree_of(const topology& topology) {
    return tree_from(topology.zones);
}

async<zones::found_zones> zones::read() {
    found_zones all;
    kv::range_request next{.prefix = std::string(keys::zones)};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(next));
        for (const auto& entry : page.entries) {
            CO_TRY(auto zone, decode_zone(entry.value));
            all.entries.emplace(zone.name, entry);
            all.records.emplace(zone.name, std::move(zone));
        }
        if (!page.more || page.entries.empty()) co_return all;
        next.after = page.entries.back().key;
    }
}

result<zone_record> zones::merged(zone_record base, const wanted& how) {
    if (how.description) base.description = *how.description;
    if (how.parent) base.parent = *how.parent;
    if (how.disaster_timeout) base.disaster_timeout = *how.disaster_timeout;
    if (how.tasks_max) base.tasks_max = *how.tasks_max;
    if (base.tasks_max < 0 || base.tasks_max > tasks_most)
        return fail(
            errc::invalid, fmt::format("`tasks_max` is 1 to {}, or 0 for no limit", tasks_most));
    if (base.description.size() > description_bytes_max)
        return fail(
            errc::invalid,
            fmt::format("`description` is longer than {} bytes", description_bytes_max));
    if (base.disaster_timeout < disaster_timeout_min
        || base.disaster_timeout > disaster_timeout_max)
        return fail(
            errc::invalid,
            fmt::format(
                "`disaster_timeout` is {} to {} seconds",
                disaster_timeout_min.count(),
                disaster_timeout_max.count()));
    return base;
}

// The whole way up must be as it was looked at: otherwise two changes could close a circle. The
// parent's record is written again as it is, so that nobody removes it at the same time.
void zones::require_path(
    kv::transaction& change, const found_zones& found_zones, const std::string& parent) {
    for (const auto& each : tree_from(found_zones.records).path_up(parent)) {
        const auto entry = found_zones.entries.find(each);
        if (entry != found_zones.entries.end())
            change.when.emplace_back(kv::unchanged{entry->second.key, entry->second.modified});
    }
    const auto above = found_zones.entries.find(parent);
    if (above != found_zones.entries.end())
        change.then.emplace_back(kv::put{.key = above->second.key, .value = above->second.value});
}

async<zone_record> zones::add(std::string name, wanted how) {
    CO_CHECK_OK(check_zone_name(name));
    CO_TRY(const auto existing, co_await read());
    if (existing.records.contains(name))
        co_return fail(errc::conflict, fmt::format("Zone {} is already there", name));
    if (existing.records.size() >= zones_max)
        co_return fail(errc::conflict, fmt::format("there are {} zones already", zones_max));
    CO_TRY(auto result, merged({.name = name, .parent = {}, .made = clock_.wall()}, how));
    CO_CHECK_OK(tree_from(existing.records).check_parent(name, result.parent));
    kv::transaction change;
    change.when.emplace_back(kv::absent{keys::zone(name)});
    require_path(change, existing, result.parent);
    change.then.emplace_back(kv::put{.key = keys::zone(name), .value = encode(result)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return changed_meanwhile();
    co_return result;
}

async<zone_record> zones::change(std::string name, wanted how) {
    CO_TRY(const auto existing, co_await read());
    const auto it = existing.records.find(name);
    if (it == existing.records.end()) co_return unknown(name);
    CO_TRY(auto next, merged(it->second, how));
    CO_CHECK_OK(tree_from(existing.records).check_parent(name, next.parent));
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{keys::zone(name), existing.entries.at(name).modified});
    require_path(change, existing, next.parent);
    change.then.emplace_back(kv::put{.key = keys::zone(name), .value = encode(next)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return changed_meanwhile();
    co_return next;
}

// All of these records name their zone alike. A token that was used leads nobody else there.
async<std::size_t> zones::count(kind kind, std::string zone) {
    std::size_t match = 0;
    kv::range_request next{.prefix = std::string(kind.prefix)};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(next));
        for (const auto& entry : page.entries) {
            CO_TRY(auto members, runtime::json_record_reader::of(kind.word, entry.value));
            const bool used = members.has("used_by") && !members.text("used_by").empty();
            if (members.text("zone") == zone && !used) ++match;
        }
        if (!page.more || page.entries.empty()) co_return match;
        next.after = page.entries.back().key;
    }
}

async<void> zones::check_empty(std::string name, census systems) {
    constexpr kind nodes{.prefix = keys::nodes, .word = "nodes"};
    CO_TRY(const auto servers, co_await count(nodes, name));
    if (servers > 0)
        co_return fail(
            errc::conflict, fmt::format("Zone {} still contains {} nodes", name, servers));
    constexpr kind rules{.prefix = keys::accept_rules, .word = "accept rules"};
    constexpr kind tokens{.prefix = keys::enrolment_tokens, .word = "unused enrolment tokens"};
    for (const auto& token : {rules, tokens}) {
        CO_TRY(const auto leading, co_await count(token, name));
        if (leading > 0)
            co_return fail(
                errc::conflict,
                fmt::format("Zone {} is where {} {} lead to", name, leading, token.word));
    }
    CO_TRY(const auto held, co_await systems(name));
    if (held > 0)
        co_return fail(
            errc::conflict, fmt::format("Zone {} still contains {} systems", name, held));
    co_return result<void>();
}

void zones::require(kv::transaction& change, std::string_view name) {
    if (name == default_zone) return;
    change.when.emplace_back(kv::present{keys::zone(name)});
    change.then.emplace_back(kv::put{.key = keys::zone_use(name), .value = ""});
}

bool zones::is_gone(const kv::verdict& refused, std::string_view name) {
    if (name == default_zone) return false;
    return std::ranges::none_of(
        refused.current, [&](const kv::entry& entry) { return entry.key == keys::zone(name); });
}

async<void> zones::confirm(std::string name) {
    if (name == default_zone) co_return result<void>();
    kv::transaction change;
    require(change, name);
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed)
        co_return fail(
            errc::conflict,
            fmt::format(
                "Zone {} was removed while systems were taken into it; make it again, or move "
                "them to another",
                name));
    co_return result<void>();
}

// The table's epoch stays: a zone of the same name goes on from it, so that nobody who acted for a
// slot of this one passes for its owner.
//
// Whoever takes something into the zone writes the zone's record or its use, too, so nothing slips
// in between the count and the removal.
async<void> zones::remove(std::string name, census systems) {
    if (name == default_zone)
        co_return fail(errc::conflict, "Zone default stays: new clusters and rules rely on it");
    CO_TRY(const auto existing, co_await read());
    const auto it = existing.entries.find(name);
    if (it == existing.entries.end()) co_return unknown(name);
    const auto within = tree_from(existing.records).children_of(name);
    if (!within.empty())
        co_return fail(
            errc::conflict, fmt::format("Zone {} still contains {} zones", name, within.size()));
    const auto use = keys::zone_use(name);
    CO_TRY(const auto used, co_await metastore_.get(use));
    CO_CHECK_OK(co_await check_empty(name, std::move(systems)));
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{it->second.key, it->second.modified});
    if (used.found) {
        change.when.emplace_back(kv::unchanged{use, used.found->modified});
    } else {
        change.when.emplace_back(kv::absent{use});
    }
    change.then.emplace_back(kv::erase{it->second.key});
    change.then.emplace_back(kv::erase{use});
    change.then.emplace_back(kv::erase{keys::slot_table(name)});
    change.then.emplace_back(kv::erase{keys::hold(name)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return changed_meanwhile();
    co_return result<void>();
}

}  // namespace muster::cluster
