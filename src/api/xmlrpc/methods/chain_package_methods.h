#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/content_query.h"
#include "api/xmlrpc/methods/package_action_methods.h"

#include <string>

namespace muster::xmlrpc_api {

// actionchain.addPackage… and addErrataUpdate: packages are installed, removed and upgraded as
// steps of a chain.
class chain_package_methods {
public:
    struct dependencies {
        const content_query& view;
        const package_action_methods& packages;
        const chain_methods& chains;
    };

    explicit chain_package_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> install(call call);
    async<answer> remove(call call);
    async<answer> upgrade(call call);
    async<answer> verify(call call);
    async<answer> apply_errata(call call);
    async<answer> add(call call, std::string action) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
