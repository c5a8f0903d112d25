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

constexpr std::int64_t unknown_org_fault = 2850;
constexpr std::int64_t first_org_fault = 2851;
constexpr std::int64_t name_bytes_max = 128;
constexpr std::int64_t password_bytes_max = 1024;

fault_codes codes() {
    return {.not_found = unknown_org_fault, .conflict = first_org_fault};
}

shape org_shape() {
    return map_of(anything());
}

shape org_name() {
    return text(name_bytes_max).with_bounds(3, name_bytes_max);
}

parameter org_id() {
    return argument("orgId", integer(1, INT32_MAX));
}

constexpr method_defaults org{
    .prefix = "org.",
    .read_right = right::people_read,
    .change_right = right::topology_change,
    .read_scope = scope::cluster};

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

result<void> org_methods::declare(method_registry& registry) {
    using self = org_methods;
    CHECK_OK(registry.add(
        {org.read_method("listOrgs", "All organizations", {}, list_of(org_shape())),
         handler(this, &self::list)}));
    CHECK_OK(registry.add(
        {org.read_method("getDetails", "An organization", {org_id()}, org_shape()),
         handler(this, &self::get_details),
         codes()}));
    CHECK_OK(registry.add(
        {org.read_method("getDetails", "An organization", {argument("name", text())}, org_shape()),
         handler(this, &self::get_details),
         codes()}));
    CHECK_OK(registry.add(
        {org.read_method("listUsers", "Who has a role in one", {org_id()}, list_of(anything())),
         handler(this, &self::list_users),
         codes()}));
    const std::vector<parameter> person{
        argument("firstName", text()), argument("lastName", text()), argument("email", text())};
    std::vector<parameter> parameters{
        argument("orgName", org_name()),
        argument("adminLogin", name()),
        argument("adminPassword", text(password_bytes_max))};
    auto first_parameters = parameters;
    first_parameters.insert(first_parameters.end(), person.begin(), person.end());
    auto create_first = read_by_post(org.read_method(
        "createFirst",
        "Is for a server without anybody, which there is none of",
        first_parameters,
        org_shape()));
    create_first.needed = right::none;
    CHECK_OK(registry.add({std::move(create_first), handler(this, &self::create_first), codes()}));
    parameters.push_back(argument("prefix", text()));
    parameters.insert(parameters.end(), person.begin(), person.end());
    parameters.push_back(argument("usePamAuth", flag_or_number()));
    CHECK_OK(registry.add(
        {org.change_method(
             "create", "Makes a zone, and an admin of it", std::move(parameters), org_shape()),
         handler(this, &self::create),
         codes()}));
    CHECK_OK(registry.add(
        {org.change_method(
             "updateName",
             "Names one anew; its zone keeps its name",
             {org_id(), argument("name", org_name())},
             org_shape()),
         handler(this, &self::update_name),
         codes()}));
    CHECK_OK(registry.add(
        {org.change_method("delete", "Removes a zone with nobody in it", {org_id()}),
         handler(this, &self::remove),
         codes()}));
    return declare_trusts(registry);
}

result<void> org_methods::declare_trusts(method_registry& registry) {
    using self = org_methods;
    const auto other = argument("trustOrgId", integer(1, INT32_MAX));
    const auto list = list_of(anything());
    const auto add = [&](operation operation, async<method_response> (self::*body)(call)) {
        return registry.add({std::move(operation), handler(this, body), codes()});
    };
    CHECK_OK(
        add(org.read_method("trusts.listOrgs", "Whom the first one trusts", {}, list),
            &self::list_trusted));
    CHECK_OK(
        add(org.read_method(
                "trusts.listTrusts", "The others, and whether one trusts them", {org_id()}, list),
            &self::list_trusts));
    CHECK_OK(
        add(org.read_method(
                "trusts.getDetails", "Since when the first one trusts it", {org_id()}, anything()),
            &self::trust_details));
    CHECK_OK(
        add(org.read_method("trusts.listChannelsProvided", "Nothing is shared", {org_id()}, list),
            &self::list_nothing));
    CHECK_OK(
        add(org.read_method("trusts.listChannelsConsumed", "Nothing is shared", {org_id()}, list),
            &self::list_nothing));
    CHECK_OK(add(
        org.read_method("trusts.listSystemsAffected", "Nothing is shared", {org_id(), other}, list),
        &self::list_nothing));
    auto by_name = org.read_method(
        "trusts.listSystemsAffected",
        "Nothing is shared",
        {org_id(), argument("trustOrgId", text())},
        list);
    CHECK_OK(add(std::move(by_name), &self::list_nothing));
    CHECK_OK(add(
        org.change_method("trusts.addTrust", "Notes that two trust each other", {org_id(), other}),
        &self::add_trust));
    return add(
        org.change_method("trusts.removeTrust", "Notes that they do not", {org_id(), other}),
        &self::remove_trust);
}

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
    co_return fail(errc::conflict, "The first organization is there already: log in as its admin");
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
    call.set_subject(match.name + " becomes " + call.text("name"));
    const auto other = co_await orgs_.find_by_name(call.text("name"));
    if (other && other->number != match.number)
        co_return fail(errc::conflict, "there is an organization of this name already");
    auto update = orgs_.set_name(match, call.text("name"), call.caller().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(update)));
    match.name = call.text("name");
    CO_TRY(auto output, co_await read_org_value(call, std::move(match)));
    co_return method_response{std::move(output)};
}

async<method_response> org_methods::remove(call call) {
    CO_TRY(const auto match, co_await orgs_.find(call.integer("orgId")));
    call.set_subject(match.name);
    if (match.is_first()) co_return fail(errc::conflict, "the first organization stays");
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
    if (!since) co_return fail(errc::not_found, "There is no trust with this organization");
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
        co_return fail(errc::invalid, "an organization trusts itself anyway");
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
