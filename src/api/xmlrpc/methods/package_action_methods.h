#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/content_query.h"

#include <map>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// What is done about packages on systems: system.schedulePackage…, scheduleApplyErrata and
// scheduleChangeChannels. Each is a job with the agents' function packages.change or
// packages.refresh.
class package_action_methods {
public:
    package_action_methods(const content_query& view, const action_service& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_registry& to);

    // Which packages the argument `errataIds` brings to each system of `sids` or `sid`: those to
    // which the same ones matter together.
    using by_packages = std::map<std::vector<std::string>, std::vector<std::int64_t>>;
    async<by_packages> upgrades_by_errata(call call) const;

private:
    result<void> declare_changes(method_registry& to);
    result<void> declare_errata(method_registry& to);

    async<answer> install(call call);
    async<answer> remove(call call);
    async<answer> upgrade_all(call call);
    async<answer> refresh(call call);
    async<answer> apply_errata(call call);
    async<answer> make_alike(call call);
    async<answer> change_channels(call call);

    async<answer> change_packages(call call, std::string action, std::string name);

    const content_query& view_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api
