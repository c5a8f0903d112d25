#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "roles/fleet/group_book.h"
#include "roles/fleet/registrar.h"
#include "roles/fleet/search.h"
#include "roles/gateway/bulk_desk.h"
#include "roles/gateway/office.h"
#include "roles/presence/presence.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace muster::gateway {

// /api/v1/keys and /api/v1/systems: who is in the pool, who is in the fleet, and what admins decide
// about them. Keys are listed by what the record says, systems by what they are told; both are the
// same records. Read from memory. Systems come in the order of their numbers, keys in that of their
// fingerprints. Handlers run on any event loop.
class systems_api {
public:
    struct surroundings {
        const front_desk& desk;
        fleet::fleet& known;
        fleet::registrar& keys;
        fleet::operations& running;
        const presence::presence& seen;
        const cluster::topology_cell& places;
        clock& time;
        const fleet::search& found;
        const fleet::group_book& groups;
    };

    explicit systems_api(surroundings around);

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;
    using named = std::optional<std::string>;  // the system that the path names
    // What an admin wants done, and to whom.
    struct order {
        visitor who;
        target_list which;
        json_body body;
    };

    answer list_keys(net::http::request asked);
    answer list_systems(net::http::request asked);
    answer count_systems(net::http::request asked);
    answer show(net::http::request asked);
    answer accept(net::http::request asked, named one);
    answer reject(net::http::request asked, named one);
    answer remove(net::http::request asked, named one);
    answer label(net::http::request asked, named one);
    answer unregister(net::http::request asked, named one);
    answer move(net::http::request asked, named one);
    answer show_operation(net::http::request asked);
    answer follow_operation(net::http::request asked);

    // What the members of a body ask for, on behalf of a user.
    using planner =
        std::function<result<bulk_desk::change>(json_body& body, const std::string& by)>;

    answer list(net::http::request asked, std::set<enrolment> stages);
    // Whom the request's `q` means, and what its author should know.
    struct finding {
        fleet::system_set systems;
        boost::json::object told;
    };
    result<finding> find_asked(const net::http::request& asked) const;
    answer change(net::http::request asked, named one, planner plan);
    async<order> read_order(async<visitor> admitted, async<std::string> body, named one) const;
    async<target_list> target_named(std::string one) const;
    async<system_record> find(std::string one) const;
    result<std::string> zone_for(const std::optional<std::string>& wanted) const;
    boost::json::object told(const system_record& record, const cluster::topology& places) const;
    // The answer, or the refusal that an error becomes.
    static answer settled(answer work);
    net::http::handler reading(answer (systems_api::*method)(net::http::request));
    result<void> add_changes(net::http::router& routes);

    surroundings around_;
    bulk_desk bulk_;
};

}  // namespace muster::gateway
