#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/configuration/configuration_services.h"

#include <string>

namespace muster::xmlrpc_api {

// What people write down about one system: its name for people, where it stands, notes,
// entitlements, a lock; and by which activation key it came.
class system_profile_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        muster::clock& clock;
    };

    explicit system_profile_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_notes(method_registry& to);
    result<void> declare_entitlements(method_registry& to);

    async<answer> set_details(call call);
    async<answer> set_name(call call);
    async<answer> set_lock(call call);
    async<answer> list_notes(call call);
    async<answer> add_note(call call);
    async<answer> delete_note(call call);
    async<answer> delete_notes(call call);
    async<answer> get_entitlements(call call);
    async<answer> add_entitlements(call call);
    async<answer> remove_entitlements(call call);
    async<answer> list_activation_keys(call call);
    async<answer> refresh_pillar(call call);

    async<fleet::system_profile> profile_in(call call) const;
    async<answer> change(call call, fleet::system_profile_store::alteration alteration) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
