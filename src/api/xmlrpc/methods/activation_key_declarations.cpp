// Declares activationkey.*; activation_key_methods.cpp implements it.

#include "api/xmlrpc/methods/activation_key_format.h"
#include "api/xmlrpc/methods/activation_key_methods.h"
#include "api/xmlrpc/methods/entitlements.h"

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t unknown_key_fault = 10'001;
constexpr std::int64_t key_exists_fault = 1'090;
constexpr std::int64_t groups_max = 64;

fault_codes codes() {
    return {.not_found = unknown_key_fault, .conflict = key_exists_fault};
}

parameter key() {
    auto result = argument("key", text());
    result.secret = true;  // the key lets systems enrol
    return result;
}

operation key_read_method(
    std::string name, std::string summary, std::vector<parameter> parameters, shape response) {
    auto result = read_method(
        "activationkey." + std::move(name),
        std::move(summary),
        std::move(parameters),
        std::move(response));
    result.needed = right::keys_decide;
    result.within = scope::cluster;
    return result;
}

operation key_change_method(
    std::string name, std::string summary, std::vector<parameter> parameters) {
    return change_method(
        "activationkey." + std::move(name),
        std::move(summary),
        std::move(parameters),
        right::keys_decide);
}

}  // namespace

result<void> activation_key_methods::declare_keys(method_registry& registry) {
    using self = activation_key_methods;
    CHECK_OK(registry.add(
        {key_read_method(
             "listActivationKeys", "List activation keys", {}, list_of(activation_shape())),
         handler(this, &self::list)}));
    CHECK_OK(registry.add(
        {key_read_method("getDetails", "Get an activation key", {key()}, activation_shape()),
         handler(this, &self::get_details),
         codes()}));
    auto create = key_change_method(
        "create",
        "Create an activation key; systems that present the key are accepted",
        {key(),
         argument("description", text()),
         argument("baseChannelLabel", text()),
         argument("entitlements", entitlement_list()),
         argument("universalDefault", flag_or_number())});
    create.gives = text();
    CHECK_OK(registry.add({create, handler(this, &self::create), codes()}));
    create.takes.insert(
        create.takes.begin() + 3,
        argument("usageLimit", integer(0, fleet::rule_limits::usage_limit_max)));
    CHECK_OK(registry.add({std::move(create), handler(this, &self::create), codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "setDetails",
             "Update an activation key",
             {key(), argument("details", struct_shape())}),
         handler(this, &self::set_details),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method("delete", "Delete an activation key; its systems stay", {key()}),
         handler(this, &self::remove),
         codes()}));
    return registry.add(
        {key_read_method(
             "listActivatedSystems",
             "List the systems accepted by an activation key",
             {key()},
             list_of(anything())),
         handler(this, &self::list_systems),
         codes()});
}

result<void> activation_key_methods::declare_contents(method_registry& registry) {
    using self = activation_key_methods;
    const auto children = labels_parameter("childChannelLabels");
    CHECK_OK(registry.add(
        {key_change_method(
             "addChildChannels", "Add software channels to an activation key", {key(), children}),
         handler(this, &self::add_children),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "removeChildChannels",
             "Remove software channels from an activation key",
             {key(), children}),
         handler(this, &self::remove_children),
         codes()}));
    const auto entitlements = argument("entitlements", entitlement_list());
    CHECK_OK(registry.add(
        {key_change_method(
             "addEntitlements", "Add entitlements to an activation key", {key(), entitlements}),
         handler(this, &self::add_entitlements),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "removeEntitlements",
             "Remove entitlements from an activation key",
             {key(), entitlements}),
         handler(this, &self::remove_entitlements),
         codes()}));
    const auto packages = argument("packages", package_list());
    CHECK_OK(registry.add(
        {key_change_method(
             "addPackages", "Add packages that new systems install", {key(), packages}),
         handler(this, &self::add_packages),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "removePackages", "Remove packages from an activation key", {key(), packages}),
         handler(this, &self::remove_packages),
         codes()}));
    const auto groups = argument("serverGroupIds", list_of(integer(1, INT32_MAX), groups_max));
    CHECK_OK(registry.add(
        {key_change_method("addServerGroups", "Add groups that new systems join", {key(), groups}),
         handler(this, &self::add_groups),
         codes()}));
    return registry.add(
        {key_change_method(
             "removeServerGroups", "Remove groups from an activation key", {key(), groups}),
         handler(this, &self::remove_groups),
         codes()});
}

result<void> activation_key_methods::declare_config(method_registry& registry) {
    using self = activation_key_methods;
    auto keys = labels_parameter("keys");
    keys.secret = true;
    const auto channels = labels_parameter("configChannelLabels");
    CHECK_OK(registry.add(
        {key_read_method(
             "listConfigChannels",
             "List the configuration channels of an activation key",
             {key()},
             list_of(channel_shape())),
         handler(this, &self::list_config),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "setConfigChannels",
             "Set the configuration channels of activation keys",
             {keys, channels}),
         handler(this, &self::set_config),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "addConfigChannels",
             "Add configuration channels to activation keys",
             {keys, channels, argument("addToTop", flag_or_number())}),
         handler(this, &self::add_config),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "removeConfigChannels",
             "Remove configuration channels from activation keys",
             {keys, channels}),
         handler(this, &self::remove_config),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "enableConfigDeployment",
             "Enable deployment of configuration files to new systems",
             {key()}),
         handler(this, &self::enable_deployment),
         codes()}));
    CHECK_OK(registry.add(
        {key_change_method(
             "disableConfigDeployment",
             "Disable deployment of configuration files to new systems",
             {key()}),
         handler(this, &self::disable_deployment),
         codes()}));
    return registry.add(
        {read_by_post(key_read_method(
             "checkConfigDeployment",
             "Check whether configuration files are deployed to new systems",
             {key()},
             integer(0, 1))),
         handler(this, &self::check_deployment),
         codes()});
}

result<void> activation_key_methods::declare(method_registry& registry) {
    CHECK_OK(declare_keys(registry));
    CHECK_OK(declare_contents(registry));
    return declare_config(registry);
}

}  // namespace muster::xmlrpc_api
