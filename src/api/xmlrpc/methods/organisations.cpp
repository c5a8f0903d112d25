#include "api/xmlrpc/methods/organisations.h"

#include "api/operations/api_context.h"
#include "ports/deadline.h"
#include "runtime/json/record_reader.h"
#include "services/cluster/topology_record.h"
#include "services/fleet/fleet_tables.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;
using api::engine_timeout;

constexpr const char* kind_of_numbers = "organisation";
constexpr const char* first_name = "Muster";

bool is_first_zone(std::string_view zone) {
    return zone == cluster::default_zone;
}

std::string trust_name(const organisation& first, const organisation& second) {
    return fmt::format(
        "{} {}", std::min(first.zone, second.zone), std::max(first.zone, second.zone));
}

}  // namespace

async<std::size_t> count_accepted(
    const fleet::system_cache& system_cache, muster::ledger& ledger, std::string zone) {
    if (const auto cached = system_cache.accepted_in(zone); cached > 0) co_return cached;
    table::query query{.table = std::string(fleet::systems_table), .limit = 1};
    query.where = {
        {.column = "zone", .values = {std::move(zone)}},
        {.column = "stage", .values = {std::string(to_string(enrolment::accepted))}}};
    CO_TRY(const auto page, co_await ledger.read(std::move(query)));
    co_return page.rows.size();
}

std::string to_zone_name(std::string_view organisation) {
    std::string result;
    for (const char letter : organisation) {
        const bool allowed = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
                             || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
        result += allowed ? letter : '-';
    }
    return result;
}

std::string organisations::name_of(const std::string& zone) const {
    const auto stored = deps_.records.find(configuration::kinds::organisation, zone);
    if (stored) {
        auto members = runtime::json_record_reader::parse("organisation", stored->document);
        if (members && members->has("name")) return members->text("name");
    }
    return is_first_zone(zone) ? first_name : zone;
}

async<std::vector<organisation>> organisations::all() const {
    const auto topology = deps_.topology.read();
    std::vector<std::string> zones;
    std::vector<std::string> named_zones;
    for (const auto& [name, zone] : topology->zones) {
        if (!zone.parent.empty()) continue;
        zones.push_back(name);
        if (!is_first_zone(name)) named_zones.push_back(name);
    }
    auto allocation = deps_.numbers.number_all(kind_of_numbers, std::move(named_zones));
    CO_TRY(const auto numbers, co_await within(deps_.clock, engine_timeout, std::move(allocation)));
    std::vector<organisation> result;
    for (const auto& zone : zones) {
        organisation organisation{.number = 1, .zone = zone, .name = name_of(zone)};
        const auto it = std::ranges::find(numbers, zone, &compatibility::numeric_id::name);
        if (it != numbers.end()) organisation.number = it->number + 1;  // 1 is taken
        result.push_back(std::move(organisation));
    }
    co_return result;
}

async<organisation> organisations::find(std::int64_t number) const {
    CO_TRY(auto existing, co_await all());
    for (auto& organisation : existing)
        if (organisation.number == number) co_return std::move(organisation);
    co_return fail(errc::not_found, fmt::format("organization \"{}\" not found", number));
}

async<organisation> organisations::find_by_name(std::string name) const {
    CO_TRY(auto existing, co_await all());
    for (auto& organisation : existing)
        if (organisation.name == name) co_return std::move(organisation);
    co_return fail(errc::not_found, fmt::format("organization \"{}\" not found", name));
}

async<organisation> organisations::home_of(std::set<std::string> zones) const {
    CO_TRY(auto existing, co_await all());
    const bool everywhere = zones.empty() || zones.contains("");
    organisation home{.number = 1, .zone = {}, .name = first_name};
    for (auto& organisation : existing) {
        const auto zones_below = zones_of(organisation);
        const bool has_role = std::ranges::any_of(
            zones, [&](const std::string& zone) { return zones_below.contains(zone); });
        if (!everywhere && has_role) co_return std::move(organisation);
        if (organisation.is_first()) home = std::move(organisation);
    }
    co_return home;
}

std::set<std::string> organisations::zones_of(const organisation& organisation) const {
    const auto topology = deps_.topology.read();
    std::set<std::string> result{organisation.zone};
    // A parent may sort after its children.
    for (bool found_more = true; found_more;) {
        found_more = false;
        for (const auto& [name, zone] : topology->zones)
            if (result.contains(zone.parent)) found_more = result.insert(name).second || found_more;
    }
    return result;
}

async<void> organisations::set_name(
    organisation organisation, std::string name, std::string user) const {
    auto document = json::serialize(json::object{{"name", name}});
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(configuration::kinds::organisation),
         .name = organisation.zone,
         .by = std::move(user)},
        [document = std::move(document)](const std::string*) -> result<std::optional<std::string>> {
            return document;
        }));
    co_return result<void>();
}

async<void> organisations::remove_name(organisation organisation, std::string user) const {
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(configuration::kinds::organisation),
         .name = organisation.zone,
         .by = std::move(user)},
        [](const std::string*) -> result<std::optional<std::string>> { return std::string(); }));
    co_return result<void>();
}

std::optional<wall_time> organisations::trusted_since(
    const organisation& first, const organisation& second) const {
    const auto stored = deps_.records.find(configuration::kinds::trust, trust_name(first, second));
    if (!stored) return std::nullopt;
    return stored->changed;
}

async<void> organisations::set_trust(
    organisation first, organisation second, trust_change change, std::string user) const {
    const auto document = change == trust_change::add ? std::string("{}") : std::string();
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(configuration::kinds::trust),
         .name = trust_name(first, second),
         .by = std::move(user)},
        [document](const std::string*) -> result<std::optional<std::string>> { return document; }));
    co_return result<void>();
}

}  // namespace muster::xmlrpc_api
