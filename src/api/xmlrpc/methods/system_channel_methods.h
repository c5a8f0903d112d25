#pragma once

#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// The channels of a system: system.…Channel….
class system_channel_methods {
public:
    explicit system_channel_methods(const content_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    async<answer> get_base(call asked);
    async<answer> list_children(call asked);
    async<answer> list_possible_bases(call asked);
    async<answer> list_possible_children(call asked);
    async<answer> set_base(call asked);
    async<answer> set_children(call asked);

    result<std::vector<std::string>> labels_of_argument(
        const call& asked, std::string_view argument) const;

    const content_view& view_;
};

}  // namespace muster::xmlrpc_api
