#pragma once

#include "api/xmlrpc/methods/channel_methods.h"
#include "api/xmlrpc/methods/content_query.h"
#include "api/xmlrpc/methods/errata_methods.h"
#include "api/xmlrpc/methods/package_action_methods.h"
#include "api/xmlrpc/methods/package_methods.h"
#include "api/xmlrpc/methods/repository_methods.h"
#include "api/xmlrpc/methods/system_channel_methods.h"
#include "api/xmlrpc/methods/system_package_methods.h"
#include "api/xmlrpc/methods/unscheduled_errata.h"
#include "services/content/content_services.h"

namespace muster::xmlrpc_api {

// Methods for software: channels, repositories, packages and errata, and those of systems.
class content_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        const action_service& actions;
        muster::clock& clock;
        content::content_services& content;
    };

    explicit content_methods(const dependencies& deps);
    content_methods(const content_methods&) = delete;
    content_methods& operator=(const content_methods&) = delete;

    result<void> declare(method_registry& registry);

    // For methods of other files.
    const content_query& content() const { return content_query_; }
    const package_action_methods& actions() const { return actions_; }

private:
    content_query content_query_;
    channel_methods channels_;
    repository_methods repositories_;
    package_methods packages_;
    errata_methods errata_;
    system_channel_methods system_channels_;
    system_package_methods system_packages_;
    package_action_methods actions_;
    unscheduled_errata unscheduled_;
};

}  // namespace muster::xmlrpc_api
