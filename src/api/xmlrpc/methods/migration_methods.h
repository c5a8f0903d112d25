#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// system.listMigrationTargets and scheduleProductMigration: a system goes over to another base
// channel with its children, and its packages to what its sources have then. What a machine's
// sources are is its own matter: nothing is written about them.
class migration_methods {
public:
    struct surroundings {
        const content_view& view;
        const action_desk& actions;
    };

    explicit migration_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_targets(call asked);
    async<answer> schedule(call asked);

    std::vector<content::channel_ref> targets_of(const system_record& system) const;
    // errc::not_found for a channel that is not there; errc::conflict when it is no target.
    struct target {
        content::channel_ref base;
        std::vector<std::string> children;
    };
    result<target> target_in(const call& asked, const system_record& system) const;
    async<std::string> name_of(system_record system, target wanted, bool dry) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api
