#include "services/common_data/common_sources.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "core/access/right.h"
#include "runtime/json/record_reader.h"
#include "services/cluster/keys.h"
#include "services/common_data/content_sources.h"
#include "services/fleet/stored_rule.h"
#include "services/people/keys.h"
#include "services/people/record.h"

#include <boost/json.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace muster::common_data {
namespace {

namespace json = boost::json;
using revision::section;
using revision::source;
using view = std::shared_ptr<const windows::window_snapshot>;

constexpr std::size_t page_entries = 1'000;

std::string digest(std::string_view text) {
    return to_hex(pki::sha256(text));
}

section groups_of(const fleet::group_store::groups& groups) {
    section result{.name = "groups", .items = {}};
    for (const auto& [name, each] : groups)
        result.items.emplace(
            name,
            json::serialize(
                json::object{{"expression", each.definition}, {"description", each.description}}));
    return result;
}

section calendars_of(const windows::window_snapshot& snapshot) {
    section result{.name = "calendars", .items = {}};
    for (const auto& [label, each] : snapshot.calendars) {
        const bool fetched = !each.stored->url.empty();
        result.items.emplace(
            label,
            json::serialize(json::object{
                {"from", fetched ? "address" : "upload"},
                {"digest", digest(fetched ? each.stored->url : each.stored->text)}}));
    }
    return result;
}

section windows_of(const windows::window_snapshot& snapshot) {
    section result{.name = "windows", .items = {}};
    for (const auto& [name, each] : snapshot.maintenance)
        result.items.emplace(
            name,
            json::serialize(
                json::object{{"type", each.stored.type}, {"calendar", each.stored.calendar}}));
    return result;
}

section policy_of(const windows::window_snapshot& snapshot) {
    section result{.name = "policy", .items = {}};
    result.items.emplace(
        "windows",
        json::serialize(json::object{{"emergency_override", snapshot.policy.emergency_override}}));
    return result;
}

std::string item_of(const fleet::stored_rule& rule) {
    return json::serialize(json::object{
        {"priority", rule.priority},
        {"activation_key", !rule.key_digest.empty()},
        {"networks", runtime::stored_list(rule.networks)},
        {"names", runtime::stored_list(rule.names)},
        {"zone", rule.zone},
        {"tags", runtime::stored_list(rule.tags)},
        {"groups", runtime::stored_list(rule.groups)},
        {"record", digest(encode(without_key(rule)))}});
}

std::string item_of(const people::role_record& role) {
    json::array rights;
    for (const auto right : role.rights) rights.emplace_back(access::to_string(right));
    return json::serialize(json::object{{"rights", std::move(rights)}, {"about", role.about}});
}

// Reads a section from the records under a metastore prefix. Skips unreadable records.
template <class Record>
async<section> read_section(
    metastore* metastore,
    std::string name,
    std::string prefix,
    result<Record> (*decode)(std::string_view)) {
    section result{.name = std::move(name), .items = {}};
    kv::range_request next{.prefix = prefix, .limit = page_entries};
    while (true) {
        CO_TRY(const auto page, co_await metastore->range(next));
        for (const auto& entry : page.entries) {
            const auto read = decode(entry.value);
            if (read) result.items.emplace(entry.key.substr(prefix.size()), item_of(*read));
        }
        if (!page.more || page.entries.empty()) break;
        next.after = page.entries.back().key;
    }
    co_return result;
}

async<section> read_groups(fleet::group_store* store) {
    CO_CHECK_OK(co_await store->refresh());
    co_return groups_of(*store->current());
}

async<section> read_windows(
    windows::window_store* store, section (*to_section)(const windows::window_snapshot&)) {
    CO_CHECK_OK(co_await store->refresh());
    co_return to_section(*store->current());
}

source windows_source(
    windows::window_store* store,
    std::string name,
    section (*to_section)(const windows::window_snapshot&)) {
    return {
        .name = std::move(name),
        .held = [store, to_section]() -> std::optional<section> {
            const auto now = store->current();
            if (!now) return std::nullopt;
            return to_section(*now);
        },
        .stamp = [store]() -> std::shared_ptr<const void> { return store->current(); },
        .recorded = [store, to_section] { return read_windows(store, to_section); },
        .reload =
            [store] {
                return store->reload();
            }};
}

source groups_source(fleet::group_store* store) {
    return {
        .name = "groups",
        .held = [store]() -> std::optional<section> { return groups_of(*store->current()); },
        .stamp = [store]() -> std::shared_ptr<const void> { return store->current(); },
        .recorded = [store] { return read_groups(store); },
        .reload =
            [store] {
                return store->reload();
            }};
}

// The store of the rules reloads everything by itself.
async<void> no_reload() {
    co_return result<void>();
}

source rules_source(metastore* metastore, fleet::accept_rule_store* store) {
    return {
        .name = "accept-rules",
        .held = [store]() -> std::optional<section> {
            section result{.name = "accept-rules", .items = {}};
            for (const auto& each : *store->current())
                result.items.emplace(each.stored.name, item_of(each.stored));
            return result;
        },
        .stamp = [store]() -> std::shared_ptr<const void> { return store->current(); },
        .recorded =
            [metastore] {
                return read_section<fleet::stored_rule>(
                    metastore,
                    "accept-rules",
                    std::string(cluster::keys::accept_rules),
                    &fleet::decode_rule);
            },
        .reload =
            [] {
                return no_reload();
            }};
}

source roles_source(
    metastore* metastore, const people::people_cache* people, people::people_follower* follower) {
    return {
        .name = "roles",
        .held = [people]() -> std::optional<section> {
            section result{.name = "roles", .items = {}};
            for (const auto& [name, each] : *people->read()->roles)
                result.items.emplace(name, item_of(each.record));
            return result;
        },
        .stamp = [people]() -> std::shared_ptr<const void> { return people->read()->roles; },
        .recorded =
            [metastore] {
                return read_section<people::role_record>(
                    metastore, "roles", std::string(people::keys::roles), &people::decode_role);
            },
        .reload =
            [follower] {
                return follower->refresh();
            }};
}

}  // namespace

revision::sources common_sources(const common_data_dependencies& deps) {
    revision::sources sources{
        groups_source(&deps.groups),
        windows_source(&deps.windows, "calendars", &calendars_of),
        windows_source(&deps.windows, "windows", &windows_of),
        windows_source(&deps.windows, "policy", &policy_of),
        rules_source(&deps.metastore, &deps.rules)};
    if (deps.people_follower != nullptr)
        sources.push_back(roles_source(&deps.metastore, &deps.people, deps.people_follower));
    const auto append = [&sources](revision::sources more) {
        std::ranges::move(more, std::back_inserter(sources));
    };
    if (deps.content != nullptr) append(software_sources(deps.content));
    if (deps.configuration != nullptr) append(configuration_sources(deps.configuration));
    return sources;
}

}  // namespace muster::common_data
