#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/system_profile_store.h"

#include <set>

namespace muster::xmlrpc_api {

// saltkey.*: who knocked, and what is decided about them. Keys go by their systems' names; a name
// that several keys have is refused when something is to be done with one of them.
class saltkey_methods {
public:
    struct dependencies {
        const fleet_query& view;
        fleet::system_service& keys;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        const fleet::accept_rule_store& rules;
        fleet::system_profile_store& profiles;
    };

    explicit saltkey_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_accepted(call call);
    async<answer> list_pending(call call);
    async<answer> list_rejected(call call);
    async<answer> list_denied(call call);
    async<answer> accept(call call);
    async<answer> reject(call call);
    async<answer> remove(call call);

    answer list(const call& call, enrolment stage) const;
    async<fleet::system_service::targets> find(call call, std::set<enrolment> stages) const;
    result<std::string> only_zone(const call& call) const;
    async<answer> ended(async<fleet::bulk_result> work) const;
    // The activation key for those who came without one; nothing: there is none.
    std::optional<fleet::stored_rule> default_key() const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
