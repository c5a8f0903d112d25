#pragma once

#include "api/xmlrpc/methods/action_desk.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/windows/window_book.h"

#include <boost/json/object.hpp>

#include <string>

namespace muster::xmlrpc_api {

// recurring.*: what runs again and again on a system, a group or all systems. It is a schedule of
// the native API, whose query says for whom.
class recurring_methods {
public:
    struct surroundings {
        const fleet_view& view;
        const action_desk& actions;
        const windows::window_book& book;
    };

    explicit recurring_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    async<answer> list_by_entity(call asked);
    async<answer> look_up(call asked);
    async<answer> remove(call asked);
    async<answer> create_custom(call asked);
    async<answer> update_custom(call asked);
    async<answer> create_highstate(call asked);
    async<answer> update_highstate(call asked);
    async<answer> list_available(call asked);

    // The expression that means a system, a group or all.
    struct entity {
        std::string type;
        std::int64_t id = 0;
    };
    // `body` has what is run; the rest of what was asked for is the same for every kind.
    async<answer> create(call asked, boost::json::object body);
    async<answer> update(call asked, boost::json::object body);
    async<windows::stored_schedule> stored(call asked) const;
    async<std::string> query_of(call asked, entity whom) const;
    async<api::value> told(std::string name) const;
    async<std::string> name_of(std::int64_t number) const;
    async<std::int64_t> number_of(std::string_view kind, std::string name) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api
