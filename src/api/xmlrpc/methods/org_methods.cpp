#include "api/xmlrpc/methods/org_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "ports/deadline.h"
#include "services/cluster/zones.h"

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
using api::engine_timeout;

constexpr std::int64_t no_such_org = 2850;
constexpr std::int64_t first_org = 2851;
constexpr std::int64_t name_bytes_max = 128;
constexpr std::int64_t password_bytes_max = 1024;

fault_codes codes() {
    return {.not_found = no_such_org, .conflict = first_org};
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

constexpr method_defaults methods{
    .prefix = "org.",
    .reads = right::people_read,
    .changes = right::topology_change,
    .reads_within = scope::cluster};

std::string upper(std::string text) {
    for (auto& each : text)
        each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
    return text;
}

std::string full_name(const std::string& first, const std::string& last) {
    return first.empty() || last.empty() ? first + last : first + " " + last;
}

constexpr auto removal_timeout = std::chrono::seconds(30);  // all systems are looked through

}  // namespace

org_methods::org_methods(dependencies deps)
    : deps_(deps),
      known_(
          {.topology = deps.topology,
           .records = deps.configuration.records,
           .numbers = deps.numbers,
           .clock = deps.clock}) {}

result<void> org_methods::declare(method_registry& to) {
    using self = org_methods;
    CHECK_OK(to.add(
        {methods.reading("listOrgs", "All organizations", {}, list_of(org_shape())),
         done_by(this, &self::list)}));
    CHECK_OK(to.add(
        {methods.reading("getDetails", "An organization", {org_id()}, org_shape()),
         done_by(this, &self::get_details),
         codes()}));
    CHECK_OK(to.add(
        {methods.reading("getDetails", "An organization", {argument("name", text())}, org_shape()),
         done_by(this, &self::get_details),
         codes()}));
    CHECK_OK(to.add(
        {methods.reading("listUsers", "Who has a role in one", {org_id()}, list_of(anything())),
         done_by(this, &self::list_users),
         codes()}));
    const std::vector<parameter> person{
        argument("firstName", text()), argument("lastName", text()), argument("email", text())};
    std::vector<parameter> parameters{
        argument("orgName", org_name()),
        argument("adminLogin", name()),
        argument("adminPassword", text(password_bytes_max))};
    auto first = parameters;
    first.insert(first.end(), person.begin(), person.end());
    auto create_first = asking_by_post(methods.reading(
        "createFirst",
        "Is for a server without anybody, which there is none of",
        first,
        org_shape()));
    create_first.needed = right::none;
    CHECK_OK(to.add({std::move(create_first), done_by(this, &self::create_first), codes()}));
    parameters.push_back(argument("prefix", text()));
    parameters.insert(parameters.end(), person.begin(), person.end());
    parameters.push_back(argument("usePamAuth", flag_or_number()));
    CHECK_OK(to.add(
        {methods.changing(
             "create", "Makes a zone, and an admin of it", std::move(parameters), org_shape()),
         done_by(this, &self::create),
         codes()}));
    CHECK_OK(to.add(
        {methods.changing(
             "updateName",
             "Names one anew; its zone keeps its name",
             {org_id(), argument("name", org_name())},
             org_shape()),
         done_by(this, &self::update_name),
         codes()}));
    CHECK_OK(to.add(
        {methods.changing("delete", "Removes a zone with nobody in it", {org_id()}),
         done_by(this, &self::remove),
         codes()}));
    return declare_trusts(to);
}

result<void> org_methods::declare_trusts(method_registry& to) {
    using self = org_methods;
    const auto other = argument("trustOrgId", integer(1, INT32_MAX));
    const auto list = list_of(anything());
    const auto add = [&](operation operation, async<answer> (self::*does)(call)) {
        return to.add({std::move(operation), done_by(this, does), codes()});
    };
    CHECK_OK(
        add(methods.reading("trusts.listOrgs", "Whom the first one trusts", {}, list),
            &self::list_trusted));
    CHECK_OK(
        add(methods.reading(
                "trusts.listTrusts", "The others, and whether one trusts them", {org_id()}, list),
            &self::list_trusts));
    CHECK_OK(
        add(methods.reading(
                "trusts.getDetails", "Since when the first one trusts it", {org_id()}, anything()),
            &self::trust_details));
    CHECK_OK(
        add(methods.reading("trusts.listChannelsProvided", "Nothing is shared", {org_id()}, list),
            &self::nothing_shared));
    CHECK_OK(
        add(methods.reading("trusts.listChannelsConsumed", "Nothing is shared", {org_id()}, list),
            &self::nothing_shared));
    CHECK_OK(add(
        methods.reading("trusts.listSystemsAffected", "Nothing is shared", {org_id(), other}, list),
        &self::nothing_shared));
    auto spelled = methods.reading(
        "trusts.listSystemsAffected",
        "Nothing is shared",
        {org_id(), argument("trustOrgId", text())},
        list);
    CHECK_OK(add(std::move(spelled), &self::nothing_shared));
    CHECK_OK(add(
        methods.changing("trusts.addTrust", "Notes that two trust each other", {org_id(), other}),
        &self::add_trust));
    return add(
        methods.changing("trusts.removeTrust", "Notes that they do not", {org_id(), other}),
        &self::remove_trust);
}

cluster::zones::census org_methods::counting(const call& call) const {
    return [&known = deps_.view.around().systems,
            &records = call.context().engines.ledger](std::string zone) {
        return accepted_in(known, records, std::move(zone));
    };
}

std::vector<people::user_record> org_methods::users_of(
    const call& call, const organisation& organisation) const {
    const auto zones = known_.zones_of(organisation);
    std::vector<people::user_record> users;
    const auto existing = call.context().people.known.read();
    for (const auto& [name, user] : *existing->users) {
        const bool within =
            std::ranges::any_of(user.record.grants, [&](const access::grant& grant) {
                return grant.zone.empty() ? organisation.is_first() : zones.contains(grant.zone);
            });
        if (within) users.push_back(user.record);
    }
    return users;
}

value org_methods::told_org(
    const call& call, const organisation& which, const std::vector<organisation>& all) const {
    std::int64_t systems = 0;
    std::int64_t keys = 0;
    const auto zones = known_.zones_of(which);
    for (const auto& zone : zones)
        systems += static_cast<std::int64_t>(deps_.view.around().systems.accepted_in(zone));
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules)
        if (rule.stored.as_key && zones.contains(rule.stored.zone)) ++keys;
    const auto users = users_of(call, which);
    const auto active = std::ranges::count_if(
        users, [](const people::user_record& user) { return !user.disabled; });
    const auto trusts = std::ranges::count_if(all, [&](const organisation& organisation) {
        return organisation.number != which.number && known_.trust(which, organisation);
    });
    const auto groups = deps_.view.around().groups.current()->size();
    const auto channels = deps_.configuration.channels.all().size();
    return value::record{
        {"id", which.number},
        {"name", which.name},
        {"active_users", static_cast<std::int64_t>(active)},
        {"systems", systems},
        {"trusts", static_cast<std::int64_t>(trusts)},
        {"system_groups", which.is_first() ? static_cast<std::int64_t>(groups) : 0},
        {"activation_keys", keys},
        {"kickstart_profiles", 0},
        {"configuration_channels", which.is_first() ? static_cast<std::int64_t>(channels) : 0},
        {"staging_content_enabled", false}};
}

async<value> org_methods::told_one(call call, organisation organisation) const {
    CO_TRY(const auto all, co_await known_.all());
    co_return told_org(call, organisation, all);
}

async<answer> org_methods::list(call call) {
    CO_TRY(const auto all, co_await known_.all());
    value::list list;
    for (const auto& each : all) list.push_back(told_org(call, each, all));
    co_return answer{std::move(list)};
}

async<answer> org_methods::get_details(call call) {
    const bool by_number = call.operation().takes.front().name == "orgId";
    auto finding =
        by_number ? known_.find(call.integer("orgId")) : known_.find_named(call.text("name"));
    CO_TRY(auto match, co_await std::move(finding));
    CO_TRY(auto output, co_await told_one(call, std::move(match)));
    co_return answer{std::move(output)};
}

async<answer> org_methods::list_users(call call) {
    CO_TRY(const auto match, co_await known_.find(call.integer("orgId")));
    value::list list;
    for (const auto& user : users_of(call, match)) {
        const bool admin = std::ranges::any_of(
            user.grants, [](const access::grant& grant) { return grant.role == "admin"; });
        list.push_back(value::record{
            {"login", user.name},
            {"login_uc", upper(user.name)},
            {"name", user.full_name},
            {"email", user.email},
            {"is_org_admin", admin}});
    }
    co_return answer{std::move(list)};
}

async<answer> org_methods::create_first(call /*asked*/) {
    co_return fail(errc::conflict, "The first organization is there already: log in as its admin");
}

// The zone first, so that the admin's role has a place; without an admin it goes again.
async<answer> org_methods::create(call call) {
    const auto name = call.text("orgName");
    const auto zone = zone_name_of(name);
    call.set_subject(fmt::format("{}: zone {}, admin {}", name, zone, call.text("adminLogin")));
    cluster::zones places(call.context().engines.metastore, deps_.clock);
    auto placing = places.add(zone, {.description = name});
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(placing)));
    people::user_service::new_user admin{.name = call.text("adminLogin")};
    admin.full_name = full_name(call.text("firstName"), call.text("lastName"));
    admin.email = call.text("email");
    admin.grants = {{.role = "admin", .zone = zone}};
    admin.pam = flag_in(call, "usePamAuth");
    if (!admin.pam) admin.password = call.text("adminPassword");
    admin.must_change = false;  // clients of this API have no way to choose another one
    people::identity actor = call.who();
    auto tree = *actor.zones;
    tree.emplace(zone, "");
    actor.zones = std::make_shared<const access::zone_parents>(std::move(tree));
    auto adding = call.context().people.users.add(std::move(actor), std::move(admin));
    const auto added = co_await within(deps_.clock, engine_timeout, std::move(adding));
    if (!added) {
        // Of an admin who may be there after all the zone stays.
        const auto why = added.error().code();
        if (why == errc::timed_out || why == errc::cancelled) {
            call.set_partly_done();
            co_return fail(added.error());
        }
        auto removing = places.remove(zone, counting(call));
        const auto undone = co_await within(deps_.clock, removal_timeout, std::move(removing));
        if (!undone) call.set_partly_done();
        co_return fail(added.error());
    }
    call.set_partly_done();
    auto numbering = deps_.numbers.number("organisation", zone);
    CO_TRY(const auto number, co_await within(deps_.clock, engine_timeout, std::move(numbering)));
    organisation organisation{.number = number.number + 1, .zone = zone, .name = name};
    auto naming = known_.set_name(organisation, name, call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(naming)));
    CO_TRY(auto output, co_await told_one(call, std::move(organisation)));
    co_return answer{std::move(output)};
}

async<answer> org_methods::update_name(call call) {
    CO_TRY(auto match, co_await known_.find(call.integer("orgId")));
    call.set_subject(match.name + " becomes " + call.text("name"));
    const auto other = co_await known_.find_named(call.text("name"));
    if (other && other->number != match.number)
        co_return fail(errc::conflict, "there is an organization of this name already");
    auto naming = known_.set_name(match, call.text("name"), call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(naming)));
    match.name = call.text("name");
    CO_TRY(auto output, co_await told_one(call, std::move(match)));
    co_return answer{std::move(output)};
}

async<answer> org_methods::remove(call call) {
    CO_TRY(const auto match, co_await known_.find(call.integer("orgId")));
    call.set_subject(match.name);
    if (match.is_first()) co_return fail(errc::conflict, "the first organization stays");
    cluster::zones places(call.context().engines.metastore, deps_.clock);
    auto removing = places.remove(match.zone, counting(call));
    CO_CHECK_OK(co_await within(deps_.clock, removal_timeout, std::move(removing)));
    call.set_partly_done();
    auto forgetting = known_.forget(match, call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(forgetting)));
    co_return answer{1};
}

async<answer> org_methods::list_trusted(call /*asked*/) {
    CO_TRY(const auto first, co_await known_.find(1));
    CO_TRY(const auto all, co_await known_.all());
    value::list list;
    for (const auto& each : all) {
        if (each.is_first() || !known_.trust(first, each)) continue;
        list.push_back(value::record{
            {"org_id", each.number}, {"org_name", each.name}, {"shared_channels", 0}});
    }
    co_return answer{std::move(list)};
}

async<answer> org_methods::list_trusts(call call) {
    CO_TRY(const auto one, co_await known_.find(call.integer("orgId")));
    CO_TRY(const auto all, co_await known_.all());
    value::list list;
    for (const auto& each : all) {
        if (each.number == one.number) continue;
        list.push_back(value::record{
            {"orgId", each.number},
            {"orgName", each.name},
            {"trustEnabled", known_.trust(one, each).has_value()}});
    }
    co_return answer{std::move(list)};
}

async<answer> org_methods::trust_details(call call) {
    CO_TRY(const auto first, co_await known_.find(1));
    CO_TRY(const auto other, co_await known_.find(call.integer("orgId")));
    const auto since = known_.trust(first, other);
    if (!since) co_return fail(errc::not_found, "There is no trust with this organization");
    value::record record{{"created", *since}, {"trusted_since", *since}};
    for (const char* each :
         {"channels_provided",
          "channels_consumed",
          "systems_migrated_to",
          "systems_migrated_from",
          "systems_transferred_to",
          "systems_transferred_from"})
        record.push_back({each, 0});
    co_return answer{std::move(record)};
}

async<answer> org_methods::change_trust(call call, organisations::trusting trusting) {
    CO_TRY(const auto one, co_await known_.find(call.integer("orgId")));
    CO_TRY(const auto other, co_await known_.find(call.integer("trustOrgId")));
    if (one.number == other.number)
        co_return fail(errc::invalid, "an organization trusts itself anyway");
    call.set_subject(one.name + " and " + other.name);
    auto work = known_.set_trust(one, other, trusting, call.who().user);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> org_methods::add_trust(call call) {
    return change_trust(std::move(call), organisations::trusting::begins);
}

async<answer> org_methods::remove_trust(call call) {
    return change_trust(std::move(call), organisations::trusting::ends);
}

async<answer> org_methods::nothing_shared(call call) {
    CO_CHECK_OK(co_await known_.find(call.integer("orgId")));
    co_return answer{value::list()};
}

}  // namespace muster::xmlrpc_api
