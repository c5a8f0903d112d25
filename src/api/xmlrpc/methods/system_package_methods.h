#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// What is installed on systems, what could be, and how they differ: system.…Package…, …Errata,
// and profiles.
class system_package_methods {
public:
    explicit system_package_methods(const content_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_packages(method_registry& to);
    result<void> declare_errata(method_registry& to);
    result<void> declare_comparisons(method_registry& to);

    async<answer> list_installed(call call);
    async<answer> list_upgradable(call call);
    async<answer> list_installable(call call);
    async<answer> list_latest_of(call call);
    async<answer> systems_with(call call);
    async<answer> systems_with_named(call call);
    async<answer> relevant_errata(call call);
    async<answer> relevant_errata_of_many(call call);
    async<answer> compare_systems(call call);
    async<answer> list_profiles(call call);
    async<answer> create_profile(call call);
    async<answer> remove_profile(call call);
    async<answer> compare_profile(call call);

    const content_query& view_;
};

}  // namespace muster::xmlrpc_api
