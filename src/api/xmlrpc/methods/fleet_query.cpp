#include "api/xmlrpc/methods/fleet_query.h"

#include "services/fleet/system_subject.h"
#include "services/fleet/yield_to_loop.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;

constexpr std::size_t piece_items = 500;
constexpr std::int64_t boot_seconds_max = 253'402'300'799;  // the year 9999

// A list that is being sent.
struct listing {
    const fleet::system_cache& cache;
    fleet::system_set systems;
    fleet_query::item_builder build_item;
    system_number next = system_number(1);
    bool finished = false;
};

async<value::list> next_piece(std::shared_ptr<listing> listing) {
    value::list list;
    // Perhaps none of a million systems has an item.
    for (; list.empty() && !listing->finished; co_await fleet::yield_to_loop()) {
        const auto numbers = listing->systems.page(listing->next, piece_items);
        listing->finished = numbers.size() < piece_items;
        if (!listing->finished) listing->next = numbers.back().next();
        for (const auto number : numbers) {
            const auto record = listing->cache.find(number);
            if (!record || record->stage != enrolment::accepted) continue;
            CO_TRY(auto item, listing->build_item(*record));
            if (!item.is_nothing()) list.push_back(std::move(item));
        }
    }
    co_return list;
}

std::string find_fact(const std::vector<targeting::fact>& facts, std::string_view path) {
    for (const auto& fact : facts) {
        if (fact.path == path) return fact.text;
    }
    return {};
}

// Boot time of a machine, as its agent reports it.
value boot_of(const std::vector<targeting::fact>& facts) {
    const auto digits = find_fact(facts, "boot.time");
    std::int64_t seconds = 0;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    const bool valid = failure == std::errc() && end == digits.data() + digits.size();
    if (!valid || seconds < 1 || seconds > boot_seconds_max) return {};
    return wall_time(std::chrono::seconds(seconds));
}

}  // namespace

shape overview_shape() {
    return record_of(
        {required("id", system_id()),
         required("name", text()),
         optional("last_checkin", api::time()),
         required("created", api::time())});
}

shape details_shape() {
    return record_of(
        {required("id", system_id()),
         required("profile_name", text()),
         required("machine_id", text()),
         required("minion_id", text()),
         required("hostname", text()),
         required("payg", flag()),
         required("base_entitlement", text()),
         required("addon_entitlements", list_of(text())),
         required("auto_update", flag()),
         required("description", text()),
         required("release", text()),
         optional("last_boot", api::time()),
         required("osa_status", text()),
         required("lock_status", flag()),
         required("virtualization", text()),
         required("contact_method", text()),
         optional("address1", text()),
         optional("address2", text()),
         optional("city", text()),
         optional("state", text()),
         optional("country", text()),
         optional("building", text()),
         optional("room", text()),
         optional("rack", text())});
}

result<fleet::system_set> fleet_query::find_systems(
    const call& call, const std::string& expression) const {
    TRY(const auto query, deps_.groups.parse(expression));
    const presence::cached_presence_lookup presence(deps_.presence, deps_.topology);
    TRY(auto systems, deps_.search.resolve(query, presence));
    if (call.zones()) systems = deps_.search.in_zones(*call.zones(), systems);
    if (call.node()) {
        TRY(const auto served, systems_by_node_.find(*call.node()));
        systems &= served;
    }
    return systems;
}

result<fleet::system_set> fleet_query::find_group_members(
    const call& call, const std::string& name) const {
    return find_systems(call, "group:" + name);
}

result<bool> fleet_query::is_in_group(const system_record& system, const std::string& name) const {
    TRY(const auto query, deps_.groups.parse("group:" + name));
    const presence::cached_presence_lookup presence(deps_.presence, deps_.topology);
    const auto facts = deps_.search.facts_of(system.number);
    return !query.means_nobody() && query.matches(fleet::system_subject(system, presence, facts));
}

result<system_record> fleet_query::find(const call& call, std::int64_t number) const {
    auto match = deps_.systems.find(system_number(number));
    const auto elsewhere = [&] {
        if (!call.node()) return false;
        const auto observed = deps_.presence.find(match->number);
        return !observed || observed->node != *call.node();
    };
    if (!match || match->stage != enrolment::accepted || !call.may_in(match->zone) || elsewhere())
        return fail(errc::not_found, fmt::format("No such system - sid = {}", number));
    return *std::move(match);
}

result<std::vector<system_record>> fleet_query::find_all(const call& call) const {
    std::vector<system_record> systems;
    for (const auto& number : *call.arguments().find("sids")->get<value::list>()) {
        TRY(auto system, find(call, *number.get<std::int64_t>()));
        systems.push_back(std::move(system));
    }
    return systems;
}

fleet_query::system_with_facts fleet_query::read_facts(const system_record& system) const {
    const auto facts = deps_.search.facts_of(system.number);
    system_with_facts result{.record = system, .sighting = sighting_of(system)};
    result.host = find_fact(facts, "hostname");
    if (result.host.empty()) result.host = system.name;
    result.kernel = find_fact(facts, "kernel.release");
    for (const auto& fact : facts) {
        if (fact.path == "addresses") result.addresses.push_back(fact.text);
    }
    if (result.addresses.empty() && result.sighting)
        result.addresses.push_back(result.sighting->address);
    return result;
}

std::string fleet_query::name_of(const system_record& system) const {
    auto name = deps_.profiles == nullptr ? std::string() : deps_.profiles->name_of(system.number);
    return name.empty() ? system.name : name;
}

value fleet_query::overview(const system_record& system) const {
    const auto sighting = sighting_of(system);
    return value::record{
        {"id", system.number.value()},
        {"name", name_of(system)},
        {"last_checkin", sighting ? value(sighting->last_seen) : value()},
        {"created", system.accepted.value_or(system.enrolled)}};
}

value fleet_query::details(const system_record& system) const {
    const auto facts = deps_.search.facts_of(system.number);
    const auto host = find_fact(facts, "hostname");
    const auto* const profiles = deps_.profiles;
    value::list entitlements;
    if (profiles != nullptr) {
        for (auto& entitlement : profiles->entitlements_of(system.number))
            entitlements.emplace_back(std::move(entitlement));
    }
    return value::record{
        {"id", system.number.value()},
        {"profile_name", name_of(system)},
        {"machine_id", system.machine_id},
        {"minion_id", system.name},
        {"hostname", host.empty() ? system.name : host},
        {"payg", false},
        {"base_entitlement", "salt_entitled"},
        {"addon_entitlements", std::move(entitlements)},
        {"auto_update", false},
        {"description",
         profiles == nullptr ? std::string() : profiles->description_of(system.number)},
        {"release", find_fact(facts, "os.version")},
        {"last_boot", boot_of(facts)},
        {"osa_status", deps_.presence.is_attached(system.number) ? "online" : "offline"},
        {"lock_status", profiles != nullptr && profiles->is_locked(system.number)},
        {"virtualization", find_fact(facts, "virtual.type")},
        {"contact_method", "default"}};
}

value fleet_query::details(
    const system_record& system, const fleet::system_profile& profile) const {
    auto result = details(system);
    auto& members = *result.get<value::record>();
    for (auto& member : members) {
        if (member.name == "auto_update") member.of = profile.auto_update;
        if (member.name == "contact_method" && !profile.contact_method.empty())
            member.of = profile.contact_method;
    }
    for (const auto& [name, text] : profile.place) members.push_back({name, text});
    return result;
}

method_response fleet_query::list(fleet::system_set systems, item_builder build_item) const {
    auto state = std::make_shared<listing>(listing{
        .cache = deps_.systems,
        .systems = std::move(systems),
        .build_item = std::move(build_item)});
    return {.content = {}, .items = [state] {
                return next_piece(state);
            }};
}

method_response fleet_query::list(fleet::system_set systems) const {
    return list(std::move(systems), [this](const system_record& system) -> result<value> {
        return overview(system);
    });
}

}  // namespace muster::xmlrpc_api
