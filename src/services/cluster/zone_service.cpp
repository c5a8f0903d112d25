#include "services/cluster/zone_service.h"

#include "runtime/json/record_reader.h"
#include "services/cluster/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::cluster {
namespace {

membership::zone_tree to_tree(const std::map<std::string, zone_record, std::less<>>& zones) {
    membership::zone_tree::parents parents;
    for (const auto& [name, zone] : zones) parents.emplace(name, zone.parent);
    return membership::zone_tree(std::move(parents));
}

std::unexpected<error> zone_not_found(const std::string& name) {
    return fail(errc::not_found, fmt::format("zone \"{}\" not found", name));
}

std::unexpected<error> changed_meanwhile() {
    return fail(errc::unavailable, "zones were modified concurrently; retry");
}

}  // namespace

membership::zone_tree to_zone_tree(const topology& topology) {
    return to_tree(topology.zones);
}

async<zone_service::stored_zones> zone_service::read() {
    stored_zones zones;
    kv::range_request request{.prefix = std::string(keys::zones)};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(request));
        for (const auto& entry : page.entries) {
            CO_TRY(auto zone, decode_zone(entry.value));
            zones.entries.emplace(zone.name, entry);
            zones.records.emplace(zone.name, std::move(zone));
        }
        if (!page.more || page.entries.empty()) co_return zones;
        request.after = page.entries.back().key;
    }
}

result<zone_record> zone_service::apply_settings(zone_record zone, const settings& settings) {
    if (settings.description) zone.description = *settings.description;
    if (settings.parent) zone.parent = *settings.parent;
    if (settings.disaster_timeout) zone.disaster_timeout = *settings.disaster_timeout;
    if (settings.tasks_max) zone.tasks_max = *settings.tasks_max;
    if (zone.tasks_max < 0 || zone.tasks_max > tasks_max_limit)
        return fail(
            errc::invalid,
            fmt::format("`tasks_max` must be 1 to {}, or 0 for no limit", tasks_max_limit));
    if (zone.description.size() > description_bytes_max)
        return fail(
            errc::invalid,
            fmt::format("`description` is longer than {} bytes", description_bytes_max));
    if (zone.disaster_timeout < disaster_timeout_min
        || zone.disaster_timeout > disaster_timeout_max)
        return fail(
            errc::invalid,
            fmt::format(
                "`disaster_timeout` must be {} to {} seconds",
                disaster_timeout_min.count(),
                disaster_timeout_max.count()));
    return zone;
}

// Every ancestor must be unchanged, otherwise two changes could create a cycle. Writing the
// unchanged record of the parent again prevents its concurrent removal.
void zone_service::require_path(
    kv::transaction& change, const stored_zones& zones, const std::string& parent) {
    for (const auto& name : to_tree(zones.records).path_up(parent)) {
        const auto entry = zones.entries.find(name);
        if (entry != zones.entries.end())
            change.when.emplace_back(kv::unchanged{entry->second.key, entry->second.modified});
    }
    const auto parent_entry = zones.entries.find(parent);
    if (parent_entry != zones.entries.end())
        change.then.emplace_back(
            kv::put{.key = parent_entry->second.key, .value = parent_entry->second.value});
}

async<zone_record> zone_service::add(std::string name, settings settings) {
    CO_CHECK_OK(check_zone_name(name));
    CO_TRY(const auto existing, co_await read());
    if (existing.records.contains(name))
        co_return fail(errc::conflict, fmt::format("zone \"{}\" already exists", name));
    if (existing.records.size() >= zones_max)
        co_return fail(errc::conflict, fmt::format("limit of {} zones reached", zones_max));
    CO_TRY(
        auto zone, apply_settings({.name = name, .parent = {}, .made = clock_.wall()}, settings));
    CO_CHECK_OK(to_tree(existing.records).check_parent(name, zone.parent));
    kv::transaction change;
    change.when.emplace_back(kv::absent{keys::zone(name)});
    require_path(change, existing, zone.parent);
    change.then.emplace_back(kv::put{.key = keys::zone(name), .value = encode(zone)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return changed_meanwhile();
    co_return zone;
}

async<zone_record> zone_service::change(std::string name, settings settings) {
    CO_TRY(const auto existing, co_await read());
    const auto it = existing.records.find(name);
    if (it == existing.records.end()) co_return zone_not_found(name);
    CO_TRY(auto updated, apply_settings(it->second, settings));
    CO_CHECK_OK(to_tree(existing.records).check_parent(name, updated.parent));
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{keys::zone(name), existing.entries.at(name).modified});
    require_path(change, existing, updated.parent);
    change.then.emplace_back(kv::put{.key = keys::zone(name), .value = encode(updated)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return changed_meanwhile();
    co_return updated;
}

// All of these records name their zone in the same member. A used token refers to no zone any more.
async<std::size_t> zone_service::count(content_kind kind, std::string zone) {
    std::size_t count = 0;
    kv::range_request request{.prefix = std::string(kind.prefix)};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(request));
        for (const auto& entry : page.entries) {
            CO_TRY(auto members, runtime::json_record_reader::parse(kind.word, entry.value));
            const bool used = members.has("used_by") && !members.text("used_by").empty();
            if (members.text("zone") == zone && !used) ++count;
        }
        if (!page.more || page.entries.empty()) co_return count;
        request.after = page.entries.back().key;
    }
}

async<void> zone_service::check_empty(std::string name, system_counter count_systems) {
    constexpr content_kind nodes{.prefix = keys::nodes, .word = "nodes"};
    CO_TRY(const auto node_count, co_await count(nodes, name));
    if (node_count > 0)
        co_return fail(
            errc::conflict, fmt::format("zone \"{}\" still contains {} nodes", name, node_count));
    constexpr content_kind rules{.prefix = keys::accept_rules, .word = "accept rules"};
    constexpr content_kind tokens{
        .prefix = keys::enrolment_tokens, .word = "unused enrolment tokens"};
    for (const auto& kind : {rules, tokens}) {
        CO_TRY(const auto references, co_await count(kind, name));
        if (references > 0)
            co_return fail(
                errc::conflict,
                fmt::format("zone \"{}\" is used by {} {}", name, references, kind.word));
    }
    CO_TRY(const auto system_count, co_await count_systems(name));
    if (system_count > 0)
        co_return fail(
            errc::conflict,
            fmt::format("zone \"{}\" still contains {} systems", name, system_count));
    co_return result<void>();
}

void zone_service::require_zone(kv::transaction& change, std::string_view name) {
    if (name == default_zone) return;
    change.when.emplace_back(kv::present{keys::zone(name)});
    change.then.emplace_back(kv::put{.key = keys::zone_use(name), .value = ""});
}

bool zone_service::is_gone(const kv::commit_result& outcome, std::string_view name) {
    if (name == default_zone) return false;
    return std::ranges::none_of(
        outcome.current, [&](const kv::entry& entry) { return entry.key == keys::zone(name); });
}

async<void> zone_service::confirm(std::string name) {
    if (name == default_zone) co_return result<void>();
    kv::transaction change;
    require_zone(change, name);
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(
            errc::conflict,
            fmt::format(
                "zone \"{}\" was removed while systems were accepted into it; create the zone "
                "again, or move the systems to another zone",
                name));
    co_return result<void>();
}

// The epoch of the slot table stays. A new zone of the same name continues from it, so an owner of
// an old slot is not taken for a current one.
//
// A change that adds something to the zone also writes the zone's record or its use key. So nothing
// can be added between the count and the removal.
async<void> zone_service::remove(std::string name, system_counter count_systems) {
    if (name == default_zone) co_return fail(errc::conflict, "zone \"default\" cannot be removed");
    CO_TRY(const auto existing, co_await read());
    const auto it = existing.entries.find(name);
    if (it == existing.entries.end()) co_return zone_not_found(name);
    const auto children = to_tree(existing.records).children_of(name);
    if (!children.empty())
        co_return fail(
            errc::conflict,
            fmt::format("zone \"{}\" still contains {} zones", name, children.size()));
    const auto use_key = keys::zone_use(name);
    CO_TRY(const auto stored_use, co_await metastore_.get(use_key));
    CO_CHECK_OK(co_await check_empty(name, std::move(count_systems)));
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{it->second.key, it->second.modified});
    if (stored_use.found) {
        change.when.emplace_back(kv::unchanged{use_key, stored_use.found->modified});
    } else {
        change.when.emplace_back(kv::absent{use_key});
    }
    change.then.emplace_back(kv::erase{it->second.key});
    change.then.emplace_back(kv::erase{use_key});
    change.then.emplace_back(kv::erase{keys::slot_table(name)});
    change.then.emplace_back(kv::erase{keys::zone_freeze(name)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return changed_meanwhile();
    co_return result<void>();
}

}  // namespace muster::cluster
