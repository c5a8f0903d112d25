#pragma once

#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// The repositories of channels (channel.software.…Repo), and how channels are brought up to them.
class repository_methods {
public:
    explicit repository_methods(const content_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_syncs(method_book& to);

    async<answer> list(call asked);
    async<answer> list_of_channel(call asked);
    async<answer> get_details(call asked);
    async<answer> create(call asked);
    async<answer> remove(call asked);
    async<answer> set_url(call asked);
    async<answer> associate(call asked);
    async<answer> disassociate(call asked);
    async<answer> sync(call asked);
    async<answer> set_schedule(call asked);
    async<answer> get_schedule(call asked);

    result<content::repository_ref> find(const call& asked, std::string_view argument) const;

    const content_view& view_;
};

}  // namespace muster::xmlrpc_api
