#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// The declaration of a search by one term, and the value of a found system.
api::operation search_method(std::string name, std::string summary);
api::value::record search_result_value(
    const fleet_query& fleet, const fleet_query::system_with_facts& system);

// system.search.*, and methods that return one fact of a system.
class system_search_methods {
public:
    explicit system_search_methods(const fleet_query& fleet) : fleet_(fleet) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> by_name(call call);
    async<method_response> by_host(call call);
    async<method_response> by_address(call call);
    async<method_response> by_machine(call call);
    async<method_response> get_running_kernel(call call);
    async<method_response> get_registration_date(call call);
    async<method_response> list_ungrouped(call call);

    // Finds systems for which one of the extracted texts contains the term; case is ignored.
    using text_extractor = std::vector<std::string> (*)(
        const fleet_query& fleet, const fleet_query::system_with_facts& system);
    result<method_response> search(const call& call, text_extractor extract_texts) const;

    const fleet_query& fleet_;
};

}  // namespace muster::xmlrpc_api
