#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// The declaration of a search by one term, and what all of them tell of a system that is found.
api::operation searching(std::string name, std::string summary);
api::value::record found_system(const fleet_query& in, const fleet_query::system_with_facts& of);

// system.search.*, and what one fact of a system answers.
class system_search_methods {
public:
    explicit system_search_methods(const fleet_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    async<answer> by_name(call call);
    async<answer> by_host(call call);
    async<answer> by_address(call call);
    async<answer> by_machine(call call);
    async<answer> running_kernel(call call);
    async<answer> registered(call call);
    async<answer> ungrouped(call call);

    // Those of whom one of these texts has the term in it, letters large or small.
    using texts_of = std::vector<std::string> (*)(
        const fleet_query& view, const fleet_query::system_with_facts& of);
    result<answer> search(const call& call, texts_of texts_of) const;

    const fleet_query& view_;
};

}  // namespace muster::xmlrpc_api
