#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/windows/window_store.h"

#include <boost/json/object.hpp>

#include <string>

namespace muster::xmlrpc_api {

// recurring.*: actions that run repeatedly on a system, a group or all systems. Each is a schedule
// of the REST API; its query selects the systems.
class recurring_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        const action_service& actions;
        const windows::window_store& windows;
    };

    explicit recurring_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> list_by_entity(call call);
    async<method_response> look_up(call call);
    async<method_response> remove(call call);
    async<method_response> create_custom(call call);
    async<method_response> update_custom(call call);
    async<method_response> create_highstate(call call);
    async<method_response> update_highstate(call call);
    async<method_response> list_available(call call);

    // A system, a group or all systems.
    struct entity {
        std::string type;
        std::int64_t id = 0;
    };
    // `body` has the function and its arguments; the other members are the same for every kind.
    async<method_response> create(call call, boost::json::object body);
    async<method_response> update(call call, boost::json::object body);
    async<windows::stored_schedule> find_schedule(call call) const;
    async<std::string> read_query(call call, entity entity) const;
    async<api::value> schedule_value(std::string name) const;
    async<std::string> find_name(std::int64_t number) const;
    async<std::int64_t> find_number(std::string_view kind, std::string name) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
