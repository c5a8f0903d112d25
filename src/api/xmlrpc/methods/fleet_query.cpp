#include "api/xmlrpc/methods/fleet_query.h"

#include "services/fleet/let_others_run.h"
#include "services/fleet/system_subject.h"

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

// A list in the making.
struct listing {
    const fleet::system_cache& known;
    fleet::system_set systems;
    fleet_query::teller told;
    system_number next = system_number(1);
    bool over = false;
};

async<value::list> next_piece(std::shared_ptr<listing> of) {
    value::list list;
    // Of a million systems perhaps none is told.
    for (; list.empty() && !of->over; co_await fleet::let_others_run()) {
        const auto numbers = of->systems.page(of->next, piece_items);
        of->over = numbers.size() < piece_items;
        if (!of->over) of->next = numbers.back().next();
        for (const auto number : numbers) {
            const auto record = of->known.find(number);
            if (!record || record->stage != enrolment::accepted) continue;
            CO_TRY(auto item, of->told(*record));
            if (!item.is_nothing()) list.push_back(std::move(item));
        }
    }
    co_return list;
}

std::string fact(const std::vector<targeting::fact>& facts, std::string_view path) {
    for (const auto& each : facts) {
        if (each.path == path) return each.text;
    }
    return {};
}

// When a machine was booted, as its agent tells.
value boot_of(const std::vector<targeting::fact>& facts) {
    const auto digits = fact(facts, "boot.time");
    std::int64_t seconds = 0;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    const bool well = failure == std::errc() && end == digits.data() + digits.size();
    if (!well || seconds < 1 || seconds > boot_seconds_max) return {};
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

result<fleet::system_set> fleet_query::meant(
    const call& call, const std::string& expression) const {
    TRY(const auto desired, deps_.groups.parse(expression));
    const presence::cached_presence_lookup where(deps_.presence, deps_.topology);
    TRY(auto systems, deps_.search.resolve(desired, where));
    if (call.zones()) systems = deps_.search.in_zones(*call.zones(), systems);
    if (call.node()) {
        TRY(const auto served, served_.of(*call.node()));
        systems &= served;
    }
    return systems;
}

result<fleet::system_set> fleet_query::in_group(const call& call, const std::string& name) const {
    return meant(call, "group:" + name);
}

result<bool> fleet_query::is_in_group(const system_record& system, const std::string& name) const {
    TRY(const auto desired, deps_.groups.parse("group:" + name));
    const presence::cached_presence_lookup where(deps_.presence, deps_.topology);
    const auto facts = deps_.search.facts_of(system.number);
    return !desired.means_nobody() && desired.matches(fleet::system_subject(system, where, facts));
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
    std::vector<system_record> all;
    for (const auto& each : *call.arguments().find("sids")->get<value::list>()) {
        TRY(auto one, find(call, *each.get<std::int64_t>()));
        all.push_back(std::move(one));
    }
    return all;
}

fleet_query::system_with_facts fleet_query::picture(const system_record& of) const {
    const auto facts = deps_.search.facts_of(of.number);
    system_with_facts system_with_facts{.record = of, .seen = sighting_of(of)};
    system_with_facts.host = fact(facts, "hostname");
    if (system_with_facts.host.empty()) system_with_facts.host = of.name;
    system_with_facts.kernel = fact(facts, "kernel.release");
    for (const auto& each : facts) {
        if (each.path == "addresses") system_with_facts.addresses.push_back(each.text);
    }
    if (system_with_facts.addresses.empty() && system_with_facts.seen)
        system_with_facts.addresses.push_back(system_with_facts.seen->address);
    return system_with_facts;
}

std::string fleet_query::name_of(const system_record& of) const {
    auto input = deps_.profiles == nullptr ? std::string() : deps_.profiles->name_of(of.number);
    return input.empty() ? of.name : input;
}

value fleet_query::overview(const system_record& of) const {
    const auto sighting = sighting_of(of);
    return value::record{
        {"id", of.number.value()},
        {"name", name_of(of)},
        {"last_checkin", sighting ? value(sighting->last_seen) : value()},
        {"created", of.accepted.value_or(of.enrolled)}};
}

value fleet_query::details(const system_record& of) const {
    const auto facts = deps_.search.facts_of(of.number);
    const auto host = fact(facts, "hostname");
    const auto* const written = deps_.profiles;
    value::list entitlements;
    if (written != nullptr) {
        for (auto& entitlement : written->entitlements_of(of.number))
            entitlements.emplace_back(std::move(entitlement));
    }
    return value::record{
        {"id", of.number.value()},
        {"profile_name", name_of(of)},
        {"machine_id", of.machine_id},
        {"minion_id", of.name},
        {"hostname", host.empty() ? of.name : host},
        {"payg", false},
        {"base_entitlement", "salt_entitled"},
        {"addon_entitlements", std::move(entitlements)},
        {"auto_update", false},
        {"description", written == nullptr ? std::string() : written->description_of(of.number)},
        {"release", fact(facts, "os.version")},
        {"last_boot", boot_of(facts)},
        {"osa_status", deps_.presence.attached(of.number) ? "online" : "offline"},
        {"lock_status", written != nullptr && written->is_locked(of.number)},
        {"virtualization", fact(facts, "virtual.type")},
        {"contact_method", "default"}};
}

value fleet_query::details(const system_record& of, const fleet::system_profile& written) const {
    auto result = details(of);
    auto& members = *result.get<value::record>();
    for (auto& member : members) {
        if (member.name == "auto_update") member.of = written.auto_update;
        if (member.name == "contact_method" && !written.contact_method.empty())
            member.of = written.contact_method;
    }
    for (const auto& [what, where] : written.place) members.push_back({what, where});
    return result;
}

answer fleet_query::list(fleet::system_set systems, teller teller) const {
    auto result = std::make_shared<listing>(
        listing{.known = deps_.systems, .systems = std::move(systems), .told = std::move(teller)});
    return {.content = {}, .items = [result] {
                return next_piece(result);
            }};
}

answer fleet_query::list(fleet::system_set systems) const {
    return list(std::move(systems), [this](const system_record& system) -> result<value> {
        return overview(system);
    });
}

}  // namespace muster::xmlrpc_api
