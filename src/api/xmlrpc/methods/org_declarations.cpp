// Declares org.*; org_methods.cpp implements it.

#include "api/xmlrpc/methods/method_declarations.h"
#include "api/xmlrpc/methods/org_methods.h"

#include <utility>
#include <vector>

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

}  // namespace

result<void> org_methods::declare(method_registry& registry) {
    using self = org_methods;
    CHECK_OK(registry.add(
        {org.read_method("listOrgs", "List organizations", {}, list_of(org_shape())),
         handler(this, &self::list)}));
    CHECK_OK(registry.add(
        {org.read_method("getDetails", "Get an organization", {org_id()}, org_shape()),
         handler(this, &self::get_details),
         codes()}));
    CHECK_OK(registry.add(
        {org.read_method(
             "getDetails", "Get an organization", {argument("name", text())}, org_shape()),
         handler(this, &self::get_details),
         codes()}));
    CHECK_OK(registry.add(
        {org.read_method(
             "listUsers", "List the users of an organization", {org_id()}, list_of(anything())),
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
        "Refused: the first organization already exists",
        first_parameters,
        org_shape()));
    create_first.needed = right::none;
    CHECK_OK(registry.add({std::move(create_first), handler(this, &self::create_first), codes()}));
    parameters.push_back(argument("prefix", text()));
    parameters.insert(parameters.end(), person.begin(), person.end());
    parameters.push_back(argument("usePamAuth", flag_or_number()));
    CHECK_OK(registry.add(
        {org.change_method(
             "create",
             "Create an organization: a zone and its admin",
             std::move(parameters),
             org_shape()),
         handler(this, &self::create),
         codes()}));
    CHECK_OK(registry.add(
        {org.change_method(
             "updateName",
             "Rename an organization; its zone keeps its name",
             {org_id(), argument("name", org_name())},
             org_shape()),
         handler(this, &self::update_name),
         codes()}));
    CHECK_OK(registry.add(
        {org.change_method("delete", "Delete an organization without users", {org_id()}),
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
        add(org.read_method(
                "trusts.listOrgs", "List the organizations that an organization trusts", {}, list),
            &self::list_trusted));
    CHECK_OK(add(
        org.read_method(
            "trusts.listTrusts", "List organizations with their trust status", {org_id()}, list),
        &self::list_trusts));
    CHECK_OK(
        add(org.read_method(
                "trusts.getDetails",
                "Get the date since when an organization is trusted",
                {org_id()},
                anything()),
            &self::trust_details));
    CHECK_OK(
        add(org.read_method(
                "trusts.listChannelsProvided",
                "List shared channels or systems (always empty)",
                {org_id()},
                list),
            &self::list_nothing));
    CHECK_OK(
        add(org.read_method(
                "trusts.listChannelsConsumed",
                "List shared channels or systems (always empty)",
                {org_id()},
                list),
            &self::list_nothing));
    CHECK_OK(
        add(org.read_method(
                "trusts.listSystemsAffected",
                "List shared channels or systems (always empty)",
                {org_id(), other},
                list),
            &self::list_nothing));
    auto by_name = org.read_method(
        "trusts.listSystemsAffected",
        "List shared channels or systems (always empty)",
        {org_id(), argument("trustOrgId", text())},
        list);
    CHECK_OK(add(std::move(by_name), &self::list_nothing));
    CHECK_OK(
        add(org.change_method(
                "trusts.addTrust", "Record trust between two organizations", {org_id(), other}),
            &self::add_trust));
    return add(
        org.change_method(
            "trusts.removeTrust", "Remove trust between two organizations", {org_id(), other}),
        &self::remove_trust);
}

}  // namespace muster::xmlrpc_api
