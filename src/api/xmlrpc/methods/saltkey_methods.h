#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/system_profile_store.h"

#include <set>

namespace muster::xmlrpc_api {

// saltkey.*: keys of systems and decisions about them. Keys go by the names of their systems; a
// change is refused if several keys have the name.
class saltkey_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        fleet::system_service& keys;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        const fleet::accept_rule_store& rules;
        fleet::system_profile_store& profiles;
    };

    explicit saltkey_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_accepted(call call);
    async<method_response> list_pending(call call);
    async<method_response> list_rejected(call call);
    async<method_response> list_denied(call call);
    async<method_response> accept(call call);
    async<method_response> reject(call call);
    async<method_response> remove(call call);

    method_response list(const call& call, enrolment stage) const;
    async<fleet::system_service::targets> find(call call, std::set<enrolment> stages) const;
    result<std::string> only_zone(const call& call) const;
    async<method_response> finish(async<fleet::bulk_result> work) const;
    // The default activation key for systems that came without one, if any.
    std::optional<fleet::stored_rule> default_key() const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
