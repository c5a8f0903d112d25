#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// The repositories of channels (channel.software.…Repo) and their synchronization.
class repository_methods {
public:
    explicit repository_methods(const content_query& content) : content_(content) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_syncs(method_registry& registry);

    async<method_response> list(call call);
    async<method_response> list_of_channel(call call);
    async<method_response> get_details(call call);
    async<method_response> create(call call);
    async<method_response> remove(call call);
    async<method_response> set_url(call call);
    async<method_response> associate(call call);
    async<method_response> disassociate(call call);
    async<method_response> sync(call call);
    async<method_response> set_schedule(call call);
    async<method_response> get_schedule(call call);

    result<content::repository_ref> find(const call& call, std::string_view argument) const;

    const content_query& content_;
};

}  // namespace muster::xmlrpc_api
