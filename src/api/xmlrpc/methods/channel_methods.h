#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// channel.* and channel.software.*: queries of software channels, and their creation and changes.
class channel_methods {
public:
    explicit channel_methods(const content_query& content) : content_(content) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_lists(method_registry& registry);
    result<void> declare_queries(method_registry& registry);
    result<void> declare_creation(method_registry& registry);
    result<void> declare_changes(method_registry& registry);

    async<method_response> list_software(call call);
    async<method_response> list_all(call call);
    async<method_response> list_vendors(call call);
    async<method_response> list_arches(call call);
    async<method_response> list_trees(call call);
    async<method_response> list_proxies(call call);
    async<method_response> get_details(call call);
    async<method_response> list_children(call call);
    async<method_response> list_systems(call call);
    async<method_response> list_packages(call call);
    async<method_response> list_latest(call call);
    async<method_response> list_orphans(call call);
    async<method_response> list_errata(call call);

    async<method_response> create(call call);
    async<method_response> clone(call call);
    async<method_response> remove(call call);
    async<method_response> set_details(call call);
    async<method_response> add_packages(call call);
    async<method_response> remove_packages(call call);
    async<method_response> merge_packages(call call);
    async<method_response> remove_errata(call call);
    async<method_response> merge_errata(call call);
    async<method_response> do_nothing(call call);

    const content_query& content_;
};

}  // namespace muster::xmlrpc_api
