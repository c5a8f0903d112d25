#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// Installed and available packages of systems, their errata and comparisons: system.…Package…,
// …Errata, and package profiles.
class system_package_methods {
public:
    explicit system_package_methods(const content_query& content) : content_(content) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_packages(method_registry& registry);
    result<void> declare_errata(method_registry& registry);
    result<void> declare_comparisons(method_registry& registry);

    async<method_response> list_installed(call call);
    async<method_response> list_upgradable(call call);
    async<method_response> list_installable(call call);
    async<method_response> list_latest(call call);
    async<method_response> list_systems_with_package(call call);
    async<method_response> list_systems_with_name(call call);
    async<method_response> relevant_errata(call call);
    async<method_response> relevant_errata_of_many(call call);
    async<method_response> compare_systems(call call);
    async<method_response> list_profiles(call call);
    async<method_response> create_profile(call call);
    async<method_response> remove_profile(call call);
    async<method_response> compare_profile(call call);

    const content_query& content_;
};

}  // namespace muster::xmlrpc_api
