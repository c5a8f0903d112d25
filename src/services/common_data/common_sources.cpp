#include "services/common_data/common_sources.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "core/access/right.h"
#include "services/cluster/keys.h"
#include "services/common_data/content_sources.h"
#include "services/fleet/stored_rule.h"
#include "services/people/keys.h"
#include "services/people/record.h"
#include "runtime/json/record_reader.h"

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
using view = std::shared_ptr<const windows::window_view>;

constexpr std::size_t page_entries = 1'000;

std::string digest(std::string_view text) {
    return to_hex(pki::sha256(text));
}

section groups_of(const fleet::group_book::groups& known) {
    section made{.name = "groups", .items = {}};
    for (const auto& [name, each] : known)
        made.items.emplace(
            name,
            json::serialize(
                json::object{{"expression", each.definition}, {"description", each.description}}));
    return made;
}

section calendars_of(const windows::window_view& known) {
    section made{.name = "calendars", .items = {}};
    for (const auto& [label, each] : known.calendars) {
        const bool fetched = !each.stored->url.empty();
        made.items.emplace(
            label,
            json::serialize(json::object{
                {"from", fetched ? "address" : "upload"},
                {"digest", digest(fetched ? each.stored->url : each.stored->text)}}));
    }
    return made;
}

section windows_of(const windows::window_view& known) {
    section made{.name = "windows", .items = {}};
    for (const auto& [name, each] : known.maintenance)
        made.items.emplace(
            name,
            json::serialize(
                json::object{{"type", each.stored.type}, {"calendar", each.stored.calendar}}));
    return made;
}

section policy_of(const windows::window_view& known) {
    section made{.name = "policy", .items = {}};
    made.items.emplace(
        "windows",
        json::serialize(json::object{{"emergency_override", known.policy.emergency_override}}));
    return made;
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
    for (const auto each : role.rights) rights.emplace_back(access::to_string(each));
    return json::serialize(json::object{{"rights", std::move(rights)}, {"about", role.about}});
}

// Whatever stands under a prefix of the metastore now; what cannot be read counts nowhere.
template <class Record>
async<section> recorded_under(
    metastore* store,
    std::string name,
    std::string prefix,
    result<Record> (*decode)(std::string_view)) {
    section made{.name = std::move(name), .items = {}};
    kv::range_request next{.prefix = prefix, .limit = page_entries};
    while (true) {
        CO_TRY(const auto page, co_await store->range(next));
        for (const auto& each : page.entries) {
            const auto read = decode(each.value);
            if (read) made.items.emplace(each.key.substr(prefix.size()), item_of(*read));
        }
        if (!page.more || page.entries.empty()) break;
        next.after = page.entries.back().key;
    }
    co_return made;
}

async<section> recorded_groups(fleet::group_book* book) {
    CO_CHECK_OK(co_await book->catch_up());
    co_return groups_of(*book->current());
}

async<section> recorded_windows(
    windows::window_book* book, section (*written)(const windows::window_view&)) {
    CO_CHECK_OK(co_await book->catch_up());
    co_return written(*book->current());
}

source windows_source(
    windows::window_book* book, std::string name, section (*written)(const windows::window_view&)) {
    return {
        .name = std::move(name),
        .held = [book, written]() -> std::optional<section> {
            const auto now = book->current();
            if (!now) return std::nullopt;
            return written(*now);
        },
        .stamp = [book]() -> std::shared_ptr<const void> { return book->current(); },
        .recorded = [book, written] { return recorded_windows(book, written); },
        .read_anew =
            [book] {
                return book->read_anew();
            }};
}

source groups_source(fleet::group_book* book) {
    return {
        .name = "groups",
        .held = [book]() -> std::optional<section> { return groups_of(*book->current()); },
        .stamp = [book]() -> std::shared_ptr<const void> { return book->current(); },
        .recorded = [book] { return recorded_groups(book); },
        .read_anew =
            [book] {
                return book->read_anew();
            }};
}

// It reads everything itself, whenever something changes and now and then.
async<void> follows_by_itself() {
    co_return result<void>();
}

source rules_source(metastore* store, fleet::rule_book* book) {
    return {
        .name = "accept-rules",
        .held = [book]() -> std::optional<section> {
            section made{.name = "accept-rules", .items = {}};
            for (const auto& each : *book->current())
                made.items.emplace(each.stored.name, item_of(each.stored));
            return made;
        },
        .stamp = [book]() -> std::shared_ptr<const void> { return book->current(); },
        .recorded =
            [store] {
                return recorded_under<fleet::stored_rule>(
                    store,
                    "accept-rules",
                    std::string(cluster::keys::accept_rules),
                    &fleet::decode_rule);
            },
        .read_anew =
            [] {
                return follows_by_itself();
            }};
}

source roles_source(
    metastore* store, const people::roster_cell* people, people::directory* directory) {
    return {
        .name = "roles",
        .held = [people]() -> std::optional<section> {
            section made{.name = "roles", .items = {}};
            for (const auto& [name, each] : *people->read()->roles)
                made.items.emplace(name, item_of(each.record));
            return made;
        },
        .stamp = [people]() -> std::shared_ptr<const void> { return people->read()->roles; },
        .recorded =
            [store] {
                return recorded_under<people::role_record>(
                    store, "roles", std::string(people::keys::roles), &people::decode_role);
            },
        .read_anew =
            [directory] {
                return directory->catch_up();
            }};
}

}  // namespace

revision::sources common_sources(const common_books& from) {
    revision::sources made{
        groups_source(&from.groups),
        windows_source(&from.windows, "calendars", &calendars_of),
        windows_source(&from.windows, "windows", &windows_of),
        windows_source(&from.windows, "policy", &policy_of),
        rules_source(&from.store, &from.rules)};
    if (from.directory != nullptr)
        made.push_back(roles_source(&from.store, &from.people, from.directory));
    const auto append = [&made](revision::sources more) {
        std::ranges::move(more, std::back_inserter(made));
    };
    if (from.software != nullptr) append(software_sources(from.software));
    if (from.configuration != nullptr) append(configuration_sources(from.configuration));
    return made;
}

}  // namespace muster::common_data
