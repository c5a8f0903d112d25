#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/content_query.h"

#include <map>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Actions on packages: system.schedulePackage…, scheduleApplyErrata and scheduleChangeChannels.
// Each is a job with the function packages.change or packages.refresh.
class package_action_methods {
public:
    package_action_methods(const content_query& content, const action_service& actions)
        : content_(content), actions_(actions) {}

    result<void> declare(method_registry& registry);

    // The packages that the argument `errataIds` upgrades, with the systems of `sids` or `sid` that
    // need them.
    using by_packages = std::map<std::vector<std::string>, std::vector<std::int64_t>>;
    async<by_packages> upgrades_by_errata(call call) const;

private:
    result<void> declare_changes(method_registry& registry);
    result<void> declare_errata(method_registry& registry);

    async<method_response> install(call call);
    async<method_response> remove(call call);
    async<method_response> upgrade_all(call call);
    async<method_response> refresh(call call);
    async<method_response> apply_errata(call call);
    async<method_response> sync_packages(call call);
    async<method_response> change_channels(call call);

    async<method_response> change_packages(call call, std::string action, std::string name);

    const content_query& content_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api
