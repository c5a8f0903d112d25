#include "api/xmlrpc/methods/org_methods.h"

#include "ports/deadline.h"
#include "services/cluster/zones.h"
#include "api/xmlrpc/methods/declaring.h"

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
using api::engine_patience;

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

constexpr method_family methods{
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

constexpr auto removal_patience = std::chrono::seconds(30);  // all systems are looked through

}  // namespace

org_methods::org_methods(surroundings around)
    : around_(around),
      known_(
          {.places = around.places,
           .records = around.kept.records,
           .numbers = around.numbers,
           .time = around.time}) {}

result<void> org_methods::declare(method_book& to) {
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
    std::vector<parameter> wanted{
        argument("orgName", org_name()),
        argument("adminLogin", name()),
        argument("adminPassword", text(password_bytes_max))};
    auto first = wanted;
    first.insert(first.end(), person.begin(), person.end());
    auto create_first = asking_by_post(methods.reading(
        "createFirst",
        "Is for a server without anybody, which there is none of",
        first,
        org_shape()));
    create_first.needed = right::none;
    CHECK_OK(to.add({std::move(create_first), done_by(this, &self::create_first), codes()}));
    wanted.push_back(argument("prefix", text()));
    wanted.insert(wanted.end(), person.begin(), person.end());
    wanted.push_back(argument("usePamAuth", flag_or_number()));
    CHECK_OK(to.add(
        {methods.changing(
             "create", "Makes a zone, and an admin of it", std::move(wanted), org_shape()),
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

result<void> org_methods::declare_trusts(method_book& to) {
    using self = org_methods;
    const auto other = argument("trustOrgId", integer(1, INT32_MAX));
    const auto list = list_of(anything());
    const auto add = [&](operation what, async<answer> (self::*does)(call)) {
        return to.add({std::move(what), done_by(this, does), codes()});
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

cluster::zones::census org_methods::counting(const call& asked) const {
    return [&known = around_.view.around().known,
            &records = asked.desk().engines.records](std::string zone) {
        return accepted_in(known, records, std::move(zone));
    };
}

std::vector<people::user_record> org_methods::users_of(
    const call& asked, const organisation& which) const {
    const auto zones = known_.zones_of(which);
    std::vector<people::user_record> made;
    const auto known = asked.desk().people.known.read();
    for (const auto& [name, user] : *known->users) {
        const bool within = std::ranges::any_of(user.record.grants, [&](const access::grant& each) {
            return each.zone.empty() ? which.is_first() : zones.contains(each.zone);
        });
        if (within) made.push_back(user.record);
    }
    return made;
}

value org_methods::told_org(
    const call& asked, const organisation& which, const std::vector<organisation>& all) const {
    std::int64_t systems = 0;
    std::int64_t keys = 0;
    const auto zones = known_.zones_of(which);
    for (const auto& each : zones)
        systems += static_cast<std::int64_t>(around_.view.around().known.accepted_in(each));
    const auto rules = around_.rules.current();
    for (const auto& each : *rules)
        if (each.stored.as_key && zones.contains(each.stored.zone)) ++keys;
    const auto users = users_of(asked, which);
    const auto active = std::ranges::count_if(
        users, [](const people::user_record& each) { return !each.disabled; });
    const auto trusts = std::ranges::count_if(all, [&](const organisation& each) {
        return each.number != which.number && known_.trust(which, each);
    });
    const auto groups = around_.view.around().groups.current()->size();
    const auto channels = around_.kept.channels.all().size();
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

async<value> org_methods::told_one(call asked, organisation which) const {
    CO_TRY(const auto all, co_await known_.all());
    co_return told_org(asked, which, all);
}

async<answer> org_methods::list(call asked) {
    CO_TRY(const auto all, co_await known_.all());
    value::list made;
    for (const auto& each : all) made.push_back(told_org(asked, each, all));
    co_return answer{std::move(made)};
}

async<answer> org_methods::get_details(call asked) {
    const bool by_number = asked.operation().takes.front().name == "orgId";
    auto finding =
        by_number ? known_.find(asked.integer("orgId")) : known_.find_named(asked.text("name"));
    CO_TRY(auto found, co_await std::move(finding));
    CO_TRY(auto shown, co_await told_one(asked, std::move(found)));
    co_return answer{std::move(shown)};
}

async<answer> org_methods::list_users(call asked) {
    CO_TRY(const auto found, co_await known_.find(asked.integer("orgId")));
    value::list made;
    for (const auto& each : users_of(asked, found)) {
        const bool admin = std::ranges::any_of(
            each.grants, [](const access::grant& one) { return one.role == "admin"; });
        made.push_back(value::record{
            {"login", each.name},
            {"login_uc", upper(each.name)},
            {"name", each.full_name},
            {"email", each.email},
            {"is_org_admin", admin}});
    }
    co_return answer{std::move(made)};
}

async<answer> org_methods::create_first(call /*asked*/) {
    co_return fail(errc::conflict, "The first organization is there already: log in as its admin");
}

// The zone first, so that the admin's role has a place; without an admin it goes again.
async<answer> org_methods::create(call asked) {
    const auto name = asked.text("orgName");
    const auto zone = zone_name_of(name);
    asked.set_subject(fmt::format("{}: zone {}, admin {}", name, zone, asked.text("adminLogin")));
    cluster::zones places(asked.desk().engines.metadata, around_.time);
    auto placing = places.add(zone, {.description = name});
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(placing)));
    people::user_book::new_user admin{.name = asked.text("adminLogin")};
    admin.full_name = full_name(asked.text("firstName"), asked.text("lastName"));
    admin.email = asked.text("email");
    admin.grants = {{.role = "admin", .zone = zone}};
    admin.pam = flag_in(asked, "usePamAuth");
    if (!admin.pam) admin.password = asked.text("adminPassword");
    admin.must_change = false;  // clients of this API have no way to choose another one
    people::identity actor = asked.who();
    auto tree = *actor.zones;
    tree.emplace(zone, "");
    actor.zones = std::make_shared<const access::zone_parents>(std::move(tree));
    auto adding = asked.desk().people.users.add(std::move(actor), std::move(admin));
    const auto added = co_await within(around_.time, engine_patience, std::move(adding));
    if (!added) {
        // Of an admin who may be there after all the zone stays.
        const auto why = added.error().code();
        if (why == errc::timed_out || why == errc::cancelled) {
            asked.set_partly_done();
            co_return fail(added.error());
        }
        auto removing = places.remove(zone, counting(asked));
        const auto undone = co_await within(around_.time, removal_patience, std::move(removing));
        if (!undone) asked.set_partly_done();
        co_return fail(added.error());
    }
    asked.set_partly_done();
    auto numbering = around_.numbers.number("organisation", zone);
    CO_TRY(const auto number, co_await within(around_.time, engine_patience, std::move(numbering)));
    organisation made{.number = number.number + 1, .zone = zone, .name = name};
    auto naming = known_.set_name(made, name, asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(naming)));
    CO_TRY(auto shown, co_await told_one(asked, std::move(made)));
    co_return answer{std::move(shown)};
}

async<answer> org_methods::update_name(call asked) {
    CO_TRY(auto found, co_await known_.find(asked.integer("orgId")));
    asked.set_subject(found.name + " becomes " + asked.text("name"));
    const auto other = co_await known_.find_named(asked.text("name"));
    if (other && other->number != found.number)
        co_return fail(errc::conflict, "there is an organization of this name already");
    auto naming = known_.set_name(found, asked.text("name"), asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(naming)));
    found.name = asked.text("name");
    CO_TRY(auto shown, co_await told_one(asked, std::move(found)));
    co_return answer{std::move(shown)};
}

async<answer> org_methods::remove(call asked) {
    CO_TRY(const auto found, co_await known_.find(asked.integer("orgId")));
    asked.set_subject(found.name);
    if (found.is_first()) co_return fail(errc::conflict, "the first organization stays");
    cluster::zones places(asked.desk().engines.metadata, around_.time);
    auto removing = places.remove(found.zone, counting(asked));
    CO_CHECK_OK(co_await within(around_.time, removal_patience, std::move(removing)));
    asked.set_partly_done();
    auto forgetting = known_.forget(found, asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(forgetting)));
    co_return answer{1};
}

async<answer> org_methods::list_trusted(call /*asked*/) {
    CO_TRY(const auto first, co_await known_.find(1));
    CO_TRY(const auto all, co_await known_.all());
    value::list made;
    for (const auto& each : all) {
        if (each.is_first() || !known_.trust(first, each)) continue;
        made.push_back(value::record{
            {"org_id", each.number}, {"org_name", each.name}, {"shared_channels", 0}});
    }
    co_return answer{std::move(made)};
}

async<answer> org_methods::list_trusts(call asked) {
    CO_TRY(const auto one, co_await known_.find(asked.integer("orgId")));
    CO_TRY(const auto all, co_await known_.all());
    value::list made;
    for (const auto& each : all) {
        if (each.number == one.number) continue;
        made.push_back(value::record{
            {"orgId", each.number},
            {"orgName", each.name},
            {"trustEnabled", known_.trust(one, each).has_value()}});
    }
    co_return answer{std::move(made)};
}

async<answer> org_methods::trust_details(call asked) {
    CO_TRY(const auto first, co_await known_.find(1));
    CO_TRY(const auto other, co_await known_.find(asked.integer("orgId")));
    const auto since = known_.trust(first, other);
    if (!since) co_return fail(errc::not_found, "There is no trust with this organization");
    value::record made{{"created", *since}, {"trusted_since", *since}};
    for (const char* each :
         {"channels_provided",
          "channels_consumed",
          "systems_migrated_to",
          "systems_migrated_from",
          "systems_transferred_to",
          "systems_transferred_from"})
        made.push_back({each, 0});
    co_return answer{std::move(made)};
}

async<answer> org_methods::change_trust(call asked, organisations::trusting what) {
    CO_TRY(const auto one, co_await known_.find(asked.integer("orgId")));
    CO_TRY(const auto other, co_await known_.find(asked.integer("trustOrgId")));
    if (one.number == other.number)
        co_return fail(errc::invalid, "an organization trusts itself anyway");
    asked.set_subject(one.name + " and " + other.name);
    auto work = known_.set_trust(one, other, what, asked.who().user);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> org_methods::add_trust(call asked) {
    return change_trust(std::move(asked), organisations::trusting::begins);
}

async<answer> org_methods::remove_trust(call asked) {
    return change_trust(std::move(asked), organisations::trusting::ends);
}

async<answer> org_methods::nothing_shared(call asked) {
    CO_CHECK_OK(co_await known_.find(asked.integer("orgId")));
    co_return answer{value::list()};
}

}  // namespace muster::xmlrpc_api
