#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/content_view.h"
#include "api/xmlrpc/calls/method_book.h"

#include <set>
#include <string>

namespace muster::xmlrpc_api {

// What is on its way to a system.
struct awaited_packages {
    bool everything = false;
    std::set<std::string> names = {};
};

// system.getUnscheduledErrata: errata with newer packages for a system that no action which has not
// ended will bring.
class unscheduled_errata {
public:
    unscheduled_errata(const content_view& view, const action_desk& actions)
        : view_(view), actions_(actions) {}

    result<void> declare(method_book& to);

private:
    async<awaited_packages> awaited_by(system_number who) const;
    // Whether it waits for a system, or runs there.
    async<bool> is_open(job_record job, system_number who) const;
    async<answer> list(call asked);

    const content_view& view_;
    const action_desk& actions_;
};

}  // namespace muster::xmlrpc_api
