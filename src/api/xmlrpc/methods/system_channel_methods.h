#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// The channels of a system: system.…Channel….
class system_channel_methods {
public:
    explicit system_channel_methods(const content_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    async<answer> get_base(call call);
    async<answer> list_children(call call);
    async<answer> list_possible_bases(call call);
    async<answer> list_possible_children(call call);
    async<answer> set_base(call call);
    async<answer> set_children(call call);

    result<std::vector<std::string>> labels_of_argument(
        const call& call, std::string_view argument) const;

    const content_query& view_;
};

}  // namespace muster::xmlrpc_api
