#pragma once

#include "api/xmlrpc/methods/chain_methods.h"
#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "api/xmlrpc/methods/package_action_methods.h"

#include <string>

namespace muster::xmlrpc_api {

// actionchain.addPackage… and addErrataUpdate: packages are installed, removed and upgraded as
// steps of a chain.
class chain_package_methods {
public:
    struct surroundings {
        const content_view& view;
        const package_action_methods& packages;
        const chain_methods& chains;
    };

    explicit chain_package_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> install(call asked);
    async<answer> remove(call asked);
    async<answer> upgrade(call asked);
    async<answer> verify(call asked);
    async<answer> apply_errata(call asked);
    async<answer> add(call asked, std::string action) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api
