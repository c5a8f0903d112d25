#include "api/xmlrpc/methods/org_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "ports/deadline.h"
#include "services/cluster/zone_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

std::string upper(std::string text) {
    for (auto& letter : text)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

std::string full_name(const std::string& first, const std::string& last) {
    return first.empty() || last.empty() ? first + last : first + " " + last;
}

constexpr auto removal_timeout = std::chrono::seconds(30);  // all systems are looked through

}  // namespace

org_methods::org_methods(dependencies deps)
    : deps_(deps),
      orgs_(
          {.topology = deps.topology,
           .records = deps.configuration.records,
           .numbers = deps.numbers,
           .clock = deps.clock}) {}

cluster::zone_service::system_counter org_methods::system_counter(const call& call) const {
    return [&systems = deps_.fleet.deps().systems,
            &ledger = call.context().engines.ledger](std::string zone) {
        return count_accepted(systems, ledger, std::move(zone));
    };
}

std::vector<people::user_record> org_methods::find_users(
    const call& call, const organisation& organisation) const {
    const auto zones = orgs_.zones_of(organisation);
    std::vector<people::user_record> users;
    const auto snapshot = call.context().people.cache.read();
    for (const auto& [name, user] : *snapshot->users) {
        const bool is_member =
            std::ranges::any_of(user.record.grants, [&](const access::grant& grant) {
                return grant.zone.empty() ? organisation.is_first() : zones.contains(grant.zone);
            });
        if (is_member) users.push_back(user.record);
    }
    return users;
}

value org_methods::org_value(
    const call& call, const organisation& subject, const std::vector<organisation>& orgs) const {
    std::int64_t systems = 0;
    std::int64_t keys = 0;
    const auto zones = orgs_.zones_of(subject);
    for (const auto& zone : zones)
        systems += static_cast<std::int64_t>(deps_.fleet.deps().systems.accepted_in(zone));
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules)
        if (rule.stored.as_key && zones.contains(rule.stored.zone)) ++keys;
    const auto users = find_users(call, subject);
    const auto active = std::ranges::count_if(
        users, [](const people::user_record& user) { return !user.disabled; });
    const auto trusts = std::ranges::count_if(orgs, [&](const organisation& other) {
        return other.number != subject.number && orgs_.trusted_since(subject, other);
    });
    const auto groups = deps_.fleet.deps().groups.current()->size();
    const auto channels = deps_.configuration.channels.all().size();
    return value::record{
        {"id", subject.number},
        {"name", subject.name},
        {"active_users", static_cast<std::int64_t>(active)},
        {"systems", systems},
        {"trusts", static_cast<std::int64_t>(trusts)},
        {"system_groups", subject.is_first() ? static_cast<std::int64_t>(groups) : 0},
        {"activation_keys", keys},
        {"kickstart_profiles", 0},
        {"configuration_channels", subject.is_first() ? static_cast<std::int64_t>(channels) : 0},
        {"staging_content_enabled", false}};
}

async<value> org_methods::read_org_value(call call, organisation organisation) const {
    CO_TRY(const auto orgs, co_await orgs_.all());
    co_return org_value(call, organisation, orgs);
}

async<method_response> org_methods::list(call call) {
    CO_TRY(const auto orgs, co_await orgs_.all());
    value::list list;
    for (const auto& organisation : orgs) list.push_back(org_value(call, organisation, orgs));
    co_return method_response{std::move(list)};
}

async<method_response> org_methods::get_details(call call) {
    const bool by_number = call.operation().takes.front().name == "orgId";
    auto lookup =
        by_number ? orgs_.find(call.integer("orgId")) : orgs_.find_by_name(call.text("name"));
    CO_TRY(auto match, co_await std::move(lookup));
    CO_TRY(auto output, co_await read_org_value(call, std::move(match)));
    co_return method_response{std::move(output)};
}

async<method_response> org_methods::list_users(call call) {
    CO_TRY(const auto match, co_await orgs_.find(call.integer("orgId")));
    value::list list;
    for (const auto& user : find_users(call, match)) {
        const bool admin = std::ranges::any_of(
            user.grants, [](const access::grant& grant) { return grant.role == "admin"; });
        list.push_back(value::record{
            {"login", user.name},
            {"login_uc", upper(user.name)},
            {"name", user.full_name},
            {"email", user.email},
            {"is_org_admin", admin}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> org_methods::create_first(call /*call*/) {
    co_return fail(errc::conflict, "first organization already exists; log in as its admin");
}

// Creates the zone first, because the admin's role needs it; removes it if the admin is refused.
async<method_response> org_methods::create(call call) {
    const auto& name = call.text("orgName");
    const auto zone = to_zone_name(name);
    call.set_subject(fmt::format("{}: zone {}, admin {}", name, zone, call.text("adminLogin")));
    cluster::zone_service zones(call.context().engines.metastore, deps_.clock);
    auto update = zones.add(zone, {.description = name});
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(update)));
    people::user_service::new_user admin{.name = call.text("adminLogin")};
    admin.full_name = full_name(call.text("firstName"), call.text("lastName"));
    admin.email = call.text("email");
    admin.grants = {{.role = "admin", .zone = zone}};
    admin.pam = read_flag(call, "usePamAuth");
    if (!admin.pam) admin.password = call.text("adminPassword");
    admin.must_change = false;  // clients of this API cannot change it at login
    auto actor = static_cast<const people::identity&>(call.caller());
    auto zone_parents = *actor.zones;
    zone_parents.emplace(zone, "");
    actor.zones = std::make_shared<const access::zone_parents>(std::move(zone_parents));
    auto work = call.context().people.users.add(std::move(actor), std::move(admin));
    const auto result = co_await within(deps_.clock, engine_timeout, std::move(work));
    if (!result) {
        // The admin may exist after a timeout, so the zone stays.
        const auto code = result.error().code();
        if (code == errc::timed_out || code == errc::cancelled) {
            call.set_partly_done();
            co_return fail(result.error());
        }
        auto removal = zones.remove(zone, system_counter(call));
        const auto removed = co_await within(deps_.clock, removal_timeout, std::move(removal));
        if (!removed) call.set_partly_done();
        co_return fail(result.error());
    }
    call.set_partly_done();
    auto allocation = deps_.numbers.number("organisation", zone);
    CO_TRY(const auto number, co_await within(deps_.clock, engine_timeout, std::move(allocation)));
    organisation organisation{.number = number.number + 1, .zone = zone, .name = name};
    auto rename = orgs_.set_name(organisation, name, call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(rename)));
    CO_TRY(auto output, co_await read_org_value(call, std::move(organisation)));
    co_return method_response{std::move(output)};
}

async<method_response> org_methods::update_name(call call) {
    CO_TRY(auto match, co_await orgs_.find(call.integer("orgId")));
    call.set_subject(match.name + " renamed to " + call.text("name"));
    const auto other = co_await orgs_.find_by_name(call.text("name"));
    if (other && other->number != match.number)
        co_return fail(errc::conflict, "organization with this name already exists");
    auto update = orgs_.set_name(match, call.text("name"), call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(update)));
    match.name = call.text("name");
    CO_TRY(auto output, co_await read_org_value(call, std::move(match)));
    co_return method_response{std::move(output)};
}

async<method_response> org_methods::remove(call call) {
    CO_TRY(const auto match, co_await orgs_.find(call.integer("orgId")));
    call.set_subject(match.name);
    if (match.is_first())
        co_return fail(errc::conflict, "the first organization cannot be deleted");
    cluster::zone_service zones(call.context().engines.metastore, deps_.clock);
    auto removal = zones.remove(match.zone, system_counter(call));
    CO_CHECK_OK(co_await within(deps_.clock, removal_timeout, std::move(removal)));
    call.set_partly_done();
    auto work = orgs_.remove_name(match, call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> org_methods::list_trusted(call /*call*/) {
    CO_TRY(const auto first, co_await orgs_.find(1));
    CO_TRY(const auto orgs, co_await orgs_.all());
    value::list list;
    for (const auto& organisation : orgs) {
        if (organisation.is_first() || !orgs_.trusted_since(first, organisation)) continue;
        list.push_back(value::record{
            {"org_id", organisation.number},
            {"org_name", organisation.name},
            {"shared_channels", 0}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> org_methods::list_trusts(call call) {
    CO_TRY(const auto subject, co_await orgs_.find(call.integer("orgId")));
    CO_TRY(const auto orgs, co_await orgs_.all());
    value::list list;
    for (const auto& organisation : orgs) {
        if (organisation.number == subject.number) continue;
        list.push_back(value::record{
            {"orgId", organisation.number},
            {"orgName", organisation.name},
            {"trustEnabled", orgs_.trusted_since(subject, organisation).has_value()}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> org_methods::trust_details(call call) {
    CO_TRY(const auto first, co_await orgs_.find(1));
    CO_TRY(const auto other, co_await orgs_.find(call.integer("orgId")));
    const auto since = orgs_.trusted_since(first, other);
    if (!since) co_return fail(errc::not_found, "organization is not trusted");
    value::record record{{"created", *since}, {"trusted_since", *since}};
    for (const char* name :
         {"channels_provided",
          "channels_consumed",
          "systems_migrated_to",
          "systems_migrated_from",
          "systems_transferred_to",
          "systems_transferred_from"})
        record.push_back({name, 0});
    co_return method_response{std::move(record)};
}

async<method_response> org_methods::change_trust(
    call call, organisations::trust_change trust_change) {
    CO_TRY(const auto first, co_await orgs_.find(call.integer("orgId")));
    CO_TRY(const auto second, co_await orgs_.find(call.integer("trustOrgId")));
    if (first.number == second.number)
        co_return fail(errc::invalid, "an organization always trusts itself");
    call.set_subject(first.name + " and " + second.name);
    auto work = orgs_.set_trust(first, second, trust_change, call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> org_methods::add_trust(call call) {
    return change_trust(std::move(call), organisations::trust_change::add);
}

async<method_response> org_methods::remove_trust(call call) {
    return change_trust(std::move(call), organisations::trust_change::remove);
}

async<method_response> org_methods::list_nothing(call call) {
    CO_CHECK_OK(co_await orgs_.find(call.integer("orgId")));
    co_return method_response{value::list()};
}

}  // namespace muster::xmlrpc_api
