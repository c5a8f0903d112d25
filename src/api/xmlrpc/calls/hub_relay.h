#pragma once

#include "api/peer/fan_out.h"
#include "api/xmlrpc/calls/method_dispatcher.h"
#include "api/xmlrpc/calls/systems_by_node_cache.h"
#include "ports/clock.h"
#include "services/cluster/topology.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace muster::xmlrpc_api {

// What several servers answered: each under its number, those that failed apart.
struct parts {
    api::value::list done;
    api::value::list answers;
    api::value::list failed;
    api::value::list reasons;

    void add(std::int64_t server, api::value input);
    void add_failure(std::int64_t server, std::string reason);
    api::value::record told() &&;
};

// Calls that name the servers they are for, as clients of a hub make them:
// `unicast.NAMESPACE.METHOD` with a session's key, a server's number and the arguments, and
// `multicast.…` with lists of both. A server is a node. Everything that it is asked is asked of the
// systems that it serves; a node that is not there fails, and fails nobody else's part.
class relay {
public:
    static constexpr std::size_t servers_max = 1'000;
    static constexpr std::size_t items_max = 100'000;  // of a list of one server, in a multicast

    // All must outlive it.
    struct dependencies {
        const method_dispatcher& calls;
        const cluster::topology_cache& topology;
        systems_by_node_cache& served;
        muster::clock& clock;
        api::fan_out_limits asking;
    };
    explicit relay(dependencies deps) : deps_(deps) {}

    static bool is_meant(std::string_view method);
    boost::asio::awaitable<outcome> connect(
        xmlrpc::method_call method_call, std::string origin) const;

    // Why nothing can be asked of a server now; empty if it can. To who sees some zones only, a
    // server of another one that is not there is none.
    using zones = std::optional<std::set<std::string>>;  // nothing: all
    std::string absence_of(std::int64_t server, const zones& sight) const;

private:
    struct caller {
        std::string origin;
        zones sight;
    };
    boost::asio::awaitable<outcome> unicast(xmlrpc::method_call method_call, caller caller) const;
    boost::asio::awaitable<outcome> multicast(xmlrpc::method_call method_call, caller caller) const;
    boost::asio::awaitable<outcome> ask(
        std::int64_t server, xmlrpc::method_call method_call, caller caller) const;
    async<api::value> whole_answer(
        std::int64_t server, xmlrpc::method_call method_call, caller caller) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
