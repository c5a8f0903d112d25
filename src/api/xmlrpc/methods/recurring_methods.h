#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/action_service.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/windows/window_store.h"

#include <boost/json/object.hpp>

#include <string>

namespace muster::xmlrpc_api {

// recurring.*: what runs again and again on a system, a group or all systems. It is a schedule of
// the native API, whose query says for whom.
class recurring_methods {
public:
    struct dependencies {
        const fleet_query& view;
        const action_service& actions;
        const windows::window_store& windows;
    };

    explicit recurring_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    async<answer> list_by_entity(call call);
    async<answer> look_up(call call);
    async<answer> remove(call call);
    async<answer> create_custom(call call);
    async<answer> update_custom(call call);
    async<answer> create_highstate(call call);
    async<answer> update_highstate(call call);
    async<answer> list_available(call call);

    // The expression that means a system, a group or all.
    struct entity {
        std::string type;
        std::int64_t id = 0;
    };
    // `body` has what is run; the rest of what was asked for is the same for every kind.
    async<answer> create(call call, boost::json::object body);
    async<answer> update(call call, boost::json::object body);
    async<windows::stored_schedule> stored(call call) const;
    async<std::string> query_of(call call, entity entity) const;
    async<api::value> told(std::string name) const;
    async<std::string> name_of(std::int64_t number) const;
    async<std::int64_t> number_of(std::string_view kind, std::string name) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
