#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/content_query.h"

#include <set>
#include <string>

namespace muster::xmlrpc_api {

// What is on its way to a system.
struct pending_packages {
    bool everything = false;
    std::set<std::string> names = {};
};

// system.getUnscheduledErrata: errata with newer packages for a system that no action which has not
// ended will bring.
class unscheduled_errata {
public:
    unscheduled_errata(const content_query& view, const action_service& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_registry& to);

private:
    async<pending_packages> awaited_by(system_number system_number) const;
    // Whether it waits for a system, or runs there.
    async<bool> is_open(job_record job, system_number system_number) const;
    async<answer> list(call call);

    const content_query& view_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api
