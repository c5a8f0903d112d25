#include "api/xmlrpc/methods/fleet_view.h"

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
    const fleet::fleet& known;
    fleet::system_set systems;
    fleet_view::teller told;
    system_number next = system_number(1);
    bool over = false;
};

async<value::list> next_piece(std::shared_ptr<listing> of) {
    value::list made;
    // Of a million systems perhaps none is told.
    for (; made.empty() && !of->over; co_await fleet::let_others_run()) {
        const auto numbers = of->systems.page(of->next, piece_items);
        of->over = numbers.size() < piece_items;
        if (!of->over) of->next = numbers.back().next();
        for (const auto each : numbers) {
            const auto record = of->known.find(each);
            if (!record || record->stage != enrolment::accepted) continue;
            CO_TRY(auto item, of->told(*record));
            if (!item.is_nothing()) made.push_back(std::move(item));
        }
    }
    co_return made;
}

std::string fact(const std::vector<targeting::fact>& told, std::string_view path) {
    for (const auto& each : told) {
        if (each.path == path) return each.text;
    }
    return {};
}

// When a machine was booted, as its agent tells.
value boot_of(const std::vector<targeting::fact>& told) {
    const auto digits = fact(told, "boot.time");
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

result<fleet::system_set> fleet_view::meant(
    const call& asked, const std::string& expression) const {
    TRY(const auto wanted, around_.groups.parse(expression));
    TRY(auto systems, around_.found.resolve(wanted, {}));
    if (asked.zones()) systems = around_.found.in_zones(*asked.zones(), systems);
    if (asked.node()) {
        TRY(const auto served, served_.of(*asked.node()));
        systems &= served;
    }
    return systems;
}

result<fleet::system_set> fleet_view::in_group(const call& asked, const std::string& name) const {
    return meant(asked, "group:" + name);
}

result<bool> fleet_view::is_in_group(const system_record& who, const std::string& name) const {
    TRY(const auto wanted, around_.groups.parse("group:" + name));
    const fleet::whereabouts_source where{.attached = [this](system_number number) {
        return around_.seen.attached(number);
    }};
    const auto facts = around_.found.facts_of(who.number);
    return !wanted.means_nobody() && wanted.matches(fleet::system_subject(who, where, facts));
}

result<system_record> fleet_view::find(const call& asked, std::int64_t number) const {
    auto found = around_.known.find(system_number(number));
    const auto elsewhere = [&] {
        if (!asked.node()) return false;
        const auto seen = around_.seen.find(found->number);
        return !seen || seen->node != *asked.node();
    };
    if (!found || found->stage != enrolment::accepted || !asked.may_in(found->zone) || elsewhere())
        return fail(errc::not_found, fmt::format("No such system - sid = {}", number));
    return *std::move(found);
}

result<std::vector<system_record>> fleet_view::find_all(const call& asked) const {
    std::vector<system_record> all;
    for (const auto& each : *asked.arguments().find("sids")->get<value::list>()) {
        TRY(auto one, find(asked, *each.get<std::int64_t>()));
        all.push_back(std::move(one));
    }
    return all;
}

fleet_view::portrait fleet_view::picture(const system_record& of) const {
    const auto facts = around_.found.facts_of(of.number);
    portrait made{.record = of, .seen = sighting_of(of)};
    made.host = fact(facts, "hostname");
    if (made.host.empty()) made.host = of.name;
    made.kernel = fact(facts, "kernel.release");
    for (const auto& each : facts) {
        if (each.path == "addresses") made.addresses.push_back(each.text);
    }
    if (made.addresses.empty() && made.seen) made.addresses.push_back(made.seen->address);
    return made;
}

std::string fleet_view::name_of(const system_record& of) const {
    auto given = around_.profiles == nullptr ? std::string() : around_.profiles->name_of(of.number);
    return given.empty() ? of.name : given;
}

value fleet_view::overview(const system_record& of) const {
    const auto seen = sighting_of(of);
    return value::record{
        {"id", of.number.value()},
        {"name", name_of(of)},
        {"last_checkin", seen ? value(seen->last_seen) : value()},
        {"created", of.accepted.value_or(of.enrolled)}};
}

value fleet_view::details(const system_record& of) const {
    const auto facts = around_.found.facts_of(of.number);
    const auto host = fact(facts, "hostname");
    const auto* const written = around_.profiles;
    value::list entitlements;
    if (written != nullptr) {
        for (auto& each : written->entitlements_of(of.number))
            entitlements.emplace_back(std::move(each));
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
        {"osa_status", around_.seen.attached(of.number) ? "online" : "offline"},
        {"lock_status", written != nullptr && written->is_locked(of.number)},
        {"virtualization", fact(facts, "virtual.type")},
        {"contact_method", "default"}};
}

value fleet_view::details(const system_record& of, const fleet::system_profile& written) const {
    auto made = details(of);
    auto& members = *made.get<value::record>();
    for (auto& each : members) {
        if (each.name == "auto_update") each.of = written.auto_update;
        if (each.name == "contact_method" && !written.contact_method.empty())
            each.of = written.contact_method;
    }
    for (const auto& [what, where] : written.place) members.push_back({what, where});
    return made;
}

answer fleet_view::list(fleet::system_set systems, teller told) const {
    auto made = std::make_shared<listing>(
        listing{.known = around_.known, .systems = std::move(systems), .told = std::move(told)});
    return {.content = {}, .items = [made] {
                return next_piece(made);
            }};
}

answer fleet_view::list(fleet::system_set systems) const {
    return list(std::move(systems), [this](const system_record& each) -> result<value> {
        return overview(each);
    });
}

}  // namespace muster::xmlrpc_api
