#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/content_query.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// system.listMigrationTargets and scheduleProductMigration: moves a system to another base channel
// with its children, and upgrades its packages. The repositories that a machine is configured with
// do not change.
class migration_methods {
public:
    struct dependencies {
        const content_query& content;
        const action_service& actions;
    };

    explicit migration_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_targets(call call);
    async<method_response> schedule(call call);

    std::vector<content::channel_ref> targets_of(const system_record& system) const;
    // errc::not_found for an unknown channel; errc::conflict if it is not a target.
    struct target {
        content::channel_ref base;
        std::vector<std::string> children;
    };
    result<target> read_target(const call& call, const system_record& system) const;
    async<std::string> name_of(system_record system, target target, bool dry_run) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
