#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// The repositories of channels (channel.software.…Repo), and how channels are brought up to them.
class repository_methods {
public:
    explicit repository_methods(const content_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_syncs(method_registry& to);

    async<answer> list(call call);
    async<answer> list_of_channel(call call);
    async<answer> get_details(call call);
    async<answer> create(call call);
    async<answer> remove(call call);
    async<answer> set_url(call call);
    async<answer> associate(call call);
    async<answer> disassociate(call call);
    async<answer> sync(call call);
    async<answer> set_schedule(call call);
    async<answer> get_schedule(call call);

    result<content::repository_ref> find(const call& call, std::string_view argument) const;

    const content_query& view_;
};

}  // namespace muster::xmlrpc_api
