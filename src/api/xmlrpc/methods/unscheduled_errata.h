#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/content_query.h"

#include <set>
#include <string>

namespace muster::xmlrpc_api {

// Packages that pending actions bring to a system.
struct pending_packages {
    bool everything = false;
    std::set<std::string> names = {};
};

// system.getUnscheduledErrata: errata with newer packages for a system that no pending action
// brings.
class unscheduled_errata {
public:
    unscheduled_errata(const content_query& content, const action_service& actions)
        : content_(content), actions_(actions) {}

    result<void> declare(method_registry& registry);

private:
    async<pending_packages> find_pending(system_number system) const;
    // Whether the job waits for a system or runs on it.
    async<bool> is_open(job_record job, system_number system) const;
    async<method_response> list(call call);

    const content_query& content_;
    const action_service& actions_;
};

}  // namespace muster::xmlrpc_api
