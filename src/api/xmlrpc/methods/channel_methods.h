#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"

namespace muster::xmlrpc_api {

// channel.* and channel.software.*: what there is, and how channels are made and changed.
class channel_methods {
public:
    explicit channel_methods(const content_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_lists(method_registry& to);
    result<void> declare_questions(method_registry& to);
    result<void> declare_making(method_registry& to);
    result<void> declare_changes(method_registry& to);

    async<answer> list_software(call call);
    async<answer> list_all(call call);
    async<answer> list_vendors(call call);
    async<answer> list_arches(call call);
    async<answer> list_trees(call call);
    async<answer> list_proxies(call call);
    async<answer> get_details(call call);
    async<answer> list_children(call call);
    async<answer> list_systems(call call);
    async<answer> list_packages(call call);
    async<answer> list_latest(call call);
    async<answer> list_orphans(call call);
    async<answer> list_errata(call call);

    async<answer> create(call call);
    async<answer> clone(call call);
    async<answer> remove(call call);
    async<answer> set_details(call call);
    async<answer> add_packages(call call);
    async<answer> remove_packages(call call);
    async<answer> merge_packages(call call);
    async<answer> remove_errata(call call);
    async<answer> merge_errata(call call);
    async<answer> up_to_date(call call);

    const content_query& view_;
};

}  // namespace muster::xmlrpc_api
