#include "api/rest/cluster_api.h"

#include "api/rest/state_json.h"
#include "base/iso_time.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {

namespace json = boost::json;

result<void> cluster_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "cluster.show",
         .summary = "Get the cluster and the state of its engines as seen by this server",
         .path = "/api/v1/cluster",
         .gives = record_of(
             {required("id", name()),
              required("authority", text().with_about("fingerprint of the cluster CA")),
              required("made", api::time()),
              required("server", name().with_about("server that sent the response")),
              required("version", name()),
              required("state", anything())}),
         .needed = access::right::topology_read,
         .within = scope::filtered},
        handler(this, &cluster_api::show));
}

async<reply> cluster_api::show(call call) {
    const auto& cluster = call.context().cluster;
    co_return reply{json::object{
        {"id", cluster.id},
        {"authority", cluster.authority},
        {"made", iso_time(cluster.made)},
        {"server", server_},
        {"version", MUSTER_VERSION},
        {"state", json::parse(state_json(state_.read(), engine_details::shown))}}};
}

}  // namespace muster::api
