#pragma once

#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "api/xmlrpc/methods/organisations.h"

namespace muster::xmlrpc_api {

// What is told of all systems or channels at once: which systems are behind their channels
// (system.listOutOfDateSystems), when channels are brought up by themselves (taskomatic.org.*), and
// who may use them (channel.access.*, channel.org.*). Channels are there for all organisations, so
// of the last only what says so is done.
class software_overview_methods {
public:
    software_overview_methods(const content_view& view, organisations::surroundings known)
        : view_(view), known_(known) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_sharing(method_book& to);

    async<answer> list_outdated(call asked);
    async<answer> list_schedules(call asked);
    async<answer> get_sharing(call asked);
    async<answer> set_sharing(call asked);
    async<answer> list_organisations(call asked);
    async<answer> enable(call asked);
    async<answer> disable(call asked);

    const content_view& view_;
    organisations known_;
};

}  // namespace muster::xmlrpc_api
