#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/content_query.h"
#include "api/xmlrpc/methods/package_action_methods.h"

#include <string>

namespace muster::xmlrpc_api {

// actionchain.addPackage… and addErrataUpdate: steps of a chain that install, remove or upgrade
// packages.
class chain_package_methods {
public:
    struct dependencies {
        const content_query& content;
        const package_action_methods& packages;
        const chain_methods& chains;
    };

    explicit chain_package_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> install(call call);
    async<method_response> remove(call call);
    async<method_response> upgrade(call call);
    async<method_response> verify(call call);
    async<method_response> apply_errata(call call);
    async<method_response> add(call call, std::string action) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
