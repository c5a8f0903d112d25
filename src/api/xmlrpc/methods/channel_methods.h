#pragma once

#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// channel.* and channel.software.*: what there is, and how channels are made and changed.
class channel_methods {
public:
    explicit channel_methods(const content_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_lists(method_book& to);
    result<void> declare_questions(method_book& to);
    result<void> declare_making(method_book& to);
    result<void> declare_changes(method_book& to);

    async<answer> list_software(call asked);
    async<answer> list_all(call asked);
    async<answer> list_vendors(call asked);
    async<answer> list_arches(call asked);
    async<answer> list_trees(call asked);
    async<answer> list_proxies(call asked);
    async<answer> get_details(call asked);
    async<answer> list_children(call asked);
    async<answer> list_systems(call asked);
    async<answer> list_packages(call asked);
    async<answer> list_latest(call asked);
    async<answer> list_orphans(call asked);
    async<answer> list_errata(call asked);

    async<answer> create(call asked);
    async<answer> clone(call asked);
    async<answer> remove(call asked);
    async<answer> set_details(call asked);
    async<answer> add_packages(call asked);
    async<answer> remove_packages(call asked);
    async<answer> merge_packages(call asked);
    async<answer> remove_errata(call asked);
    async<answer> merge_errata(call asked);
    async<answer> up_to_date(call asked);

    const content_view& view_;
};

}  // namespace muster::xmlrpc_api
