#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// The channels of a system: system.…Channel….
class system_channel_methods {
public:
    explicit system_channel_methods(const content_query& content) : content_(content) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> get_base(call call);
    async<method_response> list_children(call call);
    async<method_response> list_possible_bases(call call);
    async<method_response> list_possible_children(call call);
    async<method_response> set_base(call call);
    async<method_response> set_children(call call);

    result<std::vector<std::string>> read_channel_labels(
        const call& call, std::string_view argument) const;

    const content_query& content_;
};

}  // namespace muster::xmlrpc_api
