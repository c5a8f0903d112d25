#pragma once

#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// The declaration of a search by one term, and what all of them tell of a system that is found.
api::operation searching(std::string name, std::string summary);
api::value::record found_system(const fleet_view& in, const fleet_view::portrait& of);

// system.search.*, and what one fact of a system answers.
class system_search_methods {
public:
    explicit system_search_methods(const fleet_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    async<answer> by_name(call asked);
    async<answer> by_host(call asked);
    async<answer> by_address(call asked);
    async<answer> by_machine(call asked);
    async<answer> running_kernel(call asked);
    async<answer> registered(call asked);
    async<answer> ungrouped(call asked);

    // Those of whom one of these texts has the term in it, letters large or small.
    using texts_of = std::function<std::vector<std::string>(const fleet_view::portrait&)>;
    result<answer> search(const call& asked, texts_of looked_at) const;

    const fleet_view& view_;
};

}  // namespace muster::xmlrpc_api
