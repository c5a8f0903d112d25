#pragma once

#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// What is installed on systems, what could be, and how they differ: system.…Package…, …Errata,
// and profiles.
class system_package_methods {
public:
    explicit system_package_methods(const content_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_packages(method_book& to);
    result<void> declare_errata(method_book& to);
    result<void> declare_comparisons(method_book& to);

    async<answer> list_installed(call asked);
    async<answer> list_upgradable(call asked);
    async<answer> list_installable(call asked);
    async<answer> list_latest_of(call asked);
    async<answer> systems_with(call asked);
    async<answer> systems_with_named(call asked);
    async<answer> relevant_errata(call asked);
    async<answer> relevant_errata_of_many(call asked);
    async<answer> compare_systems(call asked);
    async<answer> list_profiles(call asked);
    async<answer> create_profile(call asked);
    async<answer> remove_profile(call asked);
    async<answer> compare_profile(call asked);

    const content_view& view_;
};

}  // namespace muster::xmlrpc_api
