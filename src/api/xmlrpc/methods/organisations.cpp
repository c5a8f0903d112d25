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

std::string trust_name(const organisation& one, const organisation& other) {
    return fmt::format("{} {}", std::min(one.zone, other.zone), std::max(one.zone, other.zone));
}

}  // namespace

async<std::size_t> accepted_in(
    const fleet::system_cache& system_cache, muster::ledger& ledger, std::string zone) {
    if (const auto here = system_cache.accepted_in(zone); here > 0) co_return here;
    table::query question{.table = std::string(fleet::systems_table), .limit = 1};
    question.where = {
        {.column = "zone", .values = {std::move(zone)}},
        {.column = "stage", .values = {std::string(to_string(enrolment::accepted))}}};
    CO_TRY(const auto match, co_await ledger.read(std::move(question)));
    co_return match.rows.size();
}

std::string zone_name_of(std::string_view organisation) {
    std::string result;
    for (const char each : organisation) {
        const bool well = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z')
                          || (each >= '0' && each <= '9') || each == '-' || each == '_';
        result += well ? each : '-';
    }
    return result;
}

std::string organisations::name_of(const std::string& zone) const {
    const auto stored = deps_.records.find(configuration::kinds::organisation, zone);
    if (stored) {
        auto members = runtime::json_record_reader::of("organisation", stored->document);
        if (members && members->has("name")) return members->text("name");
    }
    return is_first_zone(zone) ? first_name : zone;
}

async<std::vector<organisation>> organisations::all() const {
    const auto places = deps_.topology.read();
    std::vector<std::string> zones;
    std::vector<std::string> numbered;
    for (const auto& [name, zone] : places->zones) {
        if (!zone.parent.empty()) continue;
        zones.push_back(name);
        if (!is_first_zone(name)) numbered.push_back(name);
    }
    auto numbering = deps_.numbers.number_all(kind_of_numbers, std::move(numbered));
    CO_TRY(const auto numbers, co_await within(deps_.clock, engine_timeout, std::move(numbering)));
    std::vector<organisation> result;
    for (const auto& each : zones) {
        organisation one{.number = 1, .zone = each, .name = name_of(each)};
        const auto it = std::ranges::find(numbers, each, &compatibility::numeric_id::name);
        if (it != numbers.end()) one.number = it->number + 1;  // 1 is taken
        result.push_back(std::move(one));
    }
    co_return result;
}

async<organisation> organisations::find(std::int64_t number) const {
    CO_TRY(auto existing, co_await all());
    for (auto& each : existing)
        if (each.number == number) co_return std::move(each);
    co_return fail(errc::not_found, fmt::format("There is no organization {}", number));
}

async<organisation> organisations::find_named(std::string name) const {
    CO_TRY(auto existing, co_await all());
    for (auto& each : existing)
        if (each.name == name) co_return std::move(each);
    co_return fail(errc::not_found, fmt::format("There is no organization {}", name));
}

async<organisation> organisations::home_of(std::set<std::string> zones) const {
    CO_TRY(auto existing, co_await all());
    const bool everywhere = zones.empty() || zones.contains("");
    organisation home{.number = 1, .zone = {}, .name = first_name};
    for (auto& each : existing) {
        const auto below = zones_of(each);
        const bool there = std::ranges::any_of(
            zones, [&](const std::string& zone) { return below.contains(zone); });
        if (!everywhere && there) co_return std::move(each);
        if (each.is_first()) home = std::move(each);
    }
    co_return home;
}

std::set<std::string> organisations::zones_of(const organisation& organisation) const {
    const auto places = deps_.topology.read();
    std::set<std::string> result{organisation.zone};
    // Parents may come later in the order of names than what is below them.
    for (bool grew = true; grew;) {
        grew = false;
        for (const auto& [name, zone] : places->zones)
            if (result.contains(zone.parent)) grew = result.insert(name).second || grew;
    }
    return result;
}

async<void> organisations::set_name(
    organisation organisation, std::string name, std::string by) const {
    auto document = json::serialize(json::object{{"name", name}});
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(configuration::kinds::organisation),
         .name = organisation.zone,
         .by = std::move(by)},
        [document = std::move(document)](const std::string*) -> result<std::optional<std::string>> {
            return document;
        }));
    co_return result<void>();
}

async<void> organisations::forget(organisation organisation, std::string by) const {
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(configuration::kinds::organisation),
         .name = organisation.zone,
         .by = std::move(by)},
        [](const std::string*) -> result<std::optional<std::string>> { return std::string(); }));
    co_return result<void>();
}

std::optional<wall_time> organisations::trust(
    const organisation& one, const organisation& other) const {
    const auto stored = deps_.records.find(configuration::kinds::trust, trust_name(one, other));
    if (!stored) return std::nullopt;
    return stored->changed;
}

async<void> organisations::set_trust(
    organisation one, organisation other, trusting what, std::string by) const {
    const auto document = what == trusting::begins ? std::string("{}") : std::string();
    CO_CHECK_OK(co_await deps_.records.alter(
        {.kind = std::string(configuration::kinds::trust),
         .name = trust_name(one, other),
         .by = std::move(by)},
        [document](const std::string*) -> result<std::optional<std::string>> { return document; }));
    co_return result<void>();
}

}  // namespace muster::xmlrpc_api
