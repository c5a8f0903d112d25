// What activationkey.* takes and gives; what it does is in activation_key_methods.cpp.

#include "api/xmlrpc/methods/activation_key_format.h"
#include "api/xmlrpc/methods/activation_key_methods.h"
#include "api/xmlrpc/methods/entitlements.h"

#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t no_such_key = 10'001;
constexpr std::int64_t key_exists = 1'090;
constexpr std::int64_t groups_max = 64;

fault_codes codes() {
    return {.not_found = no_such_key, .conflict = key_exists};
}

parameter key() {
    auto result = argument("key", text());
    result.secret = true;  // who knows it is let in
    return result;
}

operation reading(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) {
    auto result = asking(
        "activationkey." + std::move(name), std::move(summary), std::move(takes), std::move(gives));
    result.needed = right::keys_decide;
    result.within = scope::cluster;
    return result;
}

operation writing(std::string name, std::string summary, std::vector<parameter> takes) {
    return changing(
        "activationkey." + std::move(name),
        std::move(summary),
        std::move(takes),
        right::keys_decide);
}

}  // namespace

result<void> activation_key_methods::declare_keys(method_registry& to) {
    using self = activation_key_methods;
    CHECK_OK(to.add(
        {reading("listActivationKeys", "All keys", {}, list_of(activation_shape())),
         done_by(this, &self::list)}));
    CHECK_OK(to.add(
        {reading("getDetails", "A key", {key()}, activation_shape()),
         done_by(this, &self::get_details),
         codes()}));
    auto create = writing(
        "create",
        "Makes a key: whoever shows it is taken in",
        {key(),
         argument("description", text()),
         argument("baseChannelLabel", text()),
         argument("entitlements", entitlement_list()),
         argument("universalDefault", flag_or_number())});
    create.gives = text();
    CHECK_OK(to.add({create, done_by(this, &self::create), codes()}));
    create.takes.insert(
        create.takes.begin() + 3,
        argument("usageLimit", integer(0, fleet::rule_limits::usage_limit_max)));
    CHECK_OK(to.add({std::move(create), done_by(this, &self::create), codes()}));
    CHECK_OK(to.add(
        {writing("setDetails", "Changes a key", {key(), argument("details", some_struct())}),
         done_by(this, &self::set_details),
         codes()}));
    CHECK_OK(to.add(
        {writing("delete", "Removes a key; systems that came by it stay", {key()}),
         done_by(this, &self::remove),
         codes()}));
    return to.add(
        {reading(
             "listActivatedSystems", "Systems that came by a key", {key()}, list_of(anything())),
         done_by(this, &self::list_systems),
         codes()});
}

result<void> activation_key_methods::declare_contents(method_registry& to) {
    using self = activation_key_methods;
    const auto children = labels("childChannelLabels");
    CHECK_OK(to.add(
        {writing("addChildChannels", "Adds software channels", {key(), children}),
         done_by(this, &self::add_children),
         codes()}));
    CHECK_OK(to.add(
        {writing("removeChildChannels", "Takes software channels away", {key(), children}),
         done_by(this, &self::remove_children),
         codes()}));
    const auto entitlements = argument("entitlements", entitlement_list());
    CHECK_OK(to.add(
        {writing("addEntitlements", "Adds entitlements", {key(), entitlements}),
         done_by(this, &self::add_entitlements),
         codes()}));
    CHECK_OK(to.add(
        {writing("removeEntitlements", "Takes entitlements away", {key(), entitlements}),
         done_by(this, &self::remove_entitlements),
         codes()}));
    const auto packages = argument("packages", package_list());
    CHECK_OK(to.add(
        {writing("addPackages", "Adds packages that newcomers get", {key(), packages}),
         done_by(this, &self::add_packages),
         codes()}));
    CHECK_OK(to.add(
        {writing("removePackages", "Takes packages away", {key(), packages}),
         done_by(this, &self::remove_packages),
         codes()}));
    const auto groups = argument("serverGroupIds", list_of(integer(1, INT32_MAX), groups_max));
    CHECK_OK(to.add(
        {writing("addServerGroups", "Adds groups that systems come into", {key(), groups}),
         done_by(this, &self::add_groups),
         codes()}));
    return to.add(
        {writing("removeServerGroups", "Takes groups away", {key(), groups}),
         done_by(this, &self::remove_groups),
         codes()});
}

result<void> activation_key_methods::declare_config(method_registry& to) {
    using self = activation_key_methods;
    auto keys = labels("keys");
    keys.secret = true;
    const auto channels = labels("configChannelLabels");
    CHECK_OK(to.add(
        {reading("listConfigChannels", "The channels of a key", {key()}, list_of(channel_shape())),
         done_by(this, &self::list_config),
         codes()}));
    CHECK_OK(to.add(
        {writing("setConfigChannels", "Gives keys these channels", {keys, channels}),
         done_by(this, &self::set_config),
         codes()}));
    CHECK_OK(to.add(
        {writing(
             "addConfigChannels",
             "Adds channels to keys",
             {keys, channels, argument("addToTop", flag_or_number())}),
         done_by(this, &self::add_config),
         codes()}));
    CHECK_OK(to.add(
        {writing("removeConfigChannels", "Takes channels from keys", {keys, channels}),
         done_by(this, &self::remove_config),
         codes()}));
    CHECK_OK(to.add(
        {writing("enableConfigDeployment", "Lets files be written to newcomers", {key()}),
         done_by(this, &self::enable_deployment),
         codes()}));
    CHECK_OK(to.add(
        {writing("disableConfigDeployment", "Notes that files are not written at once", {key()}),
         done_by(this, &self::disable_deployment),
         codes()}));
    return to.add(
        {asking_by_post(reading(
             "checkConfigDeployment", "Whether files are written at once", {key()}, integer(0, 1))),
         done_by(this, &self::check_deployment),
         codes()});
}

result<void> activation_key_methods::declare(method_registry& to) {
    CHECK_OK(declare_keys(to));
    CHECK_OK(declare_contents(to));
    return declare_config(to);
}

}  // namespace muster::xmlrpc_api
