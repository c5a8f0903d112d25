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

// Results of a multicast: responses and failures, each with the number of its server.
struct multicast_results {
    api::value::list succeeded;
    api::value::list responses;
    api::value::list failed;
    api::value::list reasons;

    void add(std::int64_t server, api::value input);
    void add_failure(std::int64_t server, std::string reason);
    api::value::record to_record() &&;
};

// Serves hub calls that name their servers: `unicast.NAMESPACE.METHOD` with a session key, a server
// number and the arguments, and `multicast.…` with lists of both. A server is a node: the call is
// limited to the systems of that node. An absent node fails its own part only.
class hub_relay {
public:
    static constexpr std::size_t servers_max = 1'000;
    static constexpr std::size_t items_max = 100'000;  // of a list of one server, in a multicast

    // The dependencies must outlive the relay.
    struct dependencies {
        const method_dispatcher& dispatcher;
        const cluster::topology_cache& topology;
        systems_by_node_cache& systems_by_node;
        muster::clock& clock;
        api::fan_out_limits limits;
    };
    explicit hub_relay(dependencies deps) : deps_(deps) {}

    static bool handles(std::string_view method);
    boost::asio::awaitable<outcome> dispatch(
        xmlrpc::method_call method_call, std::string origin) const;

    // Returns why a server cannot be called now; empty if it can. Callers that see some zones only
    // learn nothing about absent servers of other zones.
    using zones = std::optional<std::set<std::string>>;  // nothing: all
    std::string unavailable_reason(std::int64_t server, const zones& visible_zones) const;

private:
    struct caller {
        std::string origin;
        zones visible_zones;
    };
    boost::asio::awaitable<outcome> unicast(xmlrpc::method_call method_call, caller caller) const;
    boost::asio::awaitable<outcome> multicast(xmlrpc::method_call method_call, caller caller) const;
    boost::asio::awaitable<outcome> call_server(
        std::int64_t server, xmlrpc::method_call method_call, caller caller) const;
    async<api::value> fetch_response(
        std::int64_t server, xmlrpc::method_call method_call, caller caller) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
