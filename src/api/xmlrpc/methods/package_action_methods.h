#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

#include <map>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// What is done about packages on systems: system.schedulePackage…, scheduleApplyErrata and
// scheduleChangeChannels. Each is a job with the agents' function packages.change or
// packages.refresh.
class package_action_methods {
public:
    package_action_methods(const content_view& view, const action_desk& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_book& to);

    // Which packages the argument `errataIds` brings to each system of `sids` or `sid`: those to
    // which the same ones matter together.
    using by_packages = std::map<std::vector<std::string>, std::vector<std::int64_t>>;
    async<by_packages> upgrades_by_errata(call asked) const;

private:
    result<void> declare_changes(method_book& to);
    result<void> declare_errata(method_book& to);

    async<answer> install(call asked);
    async<answer> remove(call asked);
    async<answer> upgrade_all(call asked);
    async<answer> refresh(call asked);
    async<answer> apply_errata(call asked);
    async<answer> make_alike(call asked);
    async<answer> change_channels(call asked);

    async<answer> change_packages(call asked, std::string action, std::string name);

    const content_view& view_;
    const action_desk& actions_;
};

}  // namespace muster::xmlrpc_api
