#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"
#include "services/configuration/configuration_services.h"

#include <string>

namespace muster::xmlrpc_api {

// Information that users record about a system: name, location, notes, entitlements, lock; and the
// activation key by which it enrolled.
class system_profile_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        muster::clock& clock;
    };

    explicit system_profile_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_notes(method_registry& registry);
    result<void> declare_entitlements(method_registry& registry);

    async<method_response> set_details(call call);
    async<method_response> set_name(call call);
    async<method_response> set_lock(call call);
    async<method_response> list_notes(call call);
    async<method_response> add_note(call call);
    async<method_response> delete_note(call call);
    async<method_response> delete_notes(call call);
    async<method_response> get_entitlements(call call);
    async<method_response> add_entitlements(call call);
    async<method_response> remove_entitlements(call call);
    async<method_response> list_activation_keys(call call);
    async<method_response> refresh_pillar(call call);

    async<fleet::system_profile> read_profile(call call) const;
    async<method_response> change(
        call call, fleet::system_profile_store::update_function alteration) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
