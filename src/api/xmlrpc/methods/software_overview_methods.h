#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/content_query.h"
#include "api/xmlrpc/methods/organisations.h"

namespace muster::xmlrpc_api {

// What is told of all systems or channels at once: which systems are behind their channels
// (system.listOutOfDateSystems), when channels are brought up by themselves (taskomatic.org.*), and
// who may use them (channel.access.*, channel.org.*). Channels are there for all organisations, so
// of the last only what says so is done.
class software_overview_methods {
public:
    software_overview_methods(const content_query& view, organisations::dependencies deps)
        : view_(view), known_(deps) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_sharing(method_registry& to);

    async<answer> list_outdated(call call);
    async<answer> list_schedules(call call);
    async<answer> get_sharing(call call);
    async<answer> set_sharing(call call);
    async<answer> list_organisations(call call);
    async<answer> enable(call call);
    async<answer> disable(call call);

    const content_query& view_;
    organisations known_;
};

}  // namespace muster::xmlrpc_api
