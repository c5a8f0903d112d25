#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/content_query.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// system.listMigrationTargets and scheduleProductMigration: a system goes over to another base
// channel with its children, and its packages to what its sources have then. What a machine's
// sources are is its own matter: nothing is written about them.
class migration_methods {
public:
    struct dependencies {
        const content_query& view;
        const action_service& actions;
    };

    explicit migration_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_targets(call call);
    async<answer> schedule(call call);

    std::vector<content::channel_ref> targets_of(const system_record& system) const;
    // errc::not_found for a channel that is not there; errc::conflict when it is no target.
    struct target {
        content::channel_ref base;
        std::vector<std::string> children;
    };
    result<target> target_in(const call& call, const system_record& system) const;
    async<std::string> name_of(system_record system, target target, bool dry) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
