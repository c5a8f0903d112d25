#pragma once

#include "adapters/net/tls_context.h"
#include "api/peer/fan_out.h"
#include "ports/clock.h"
#include "services/cluster/record.h"

#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::api {

// The way from a gateway to all the other servers, for what each knows of itself alone: over mutual
// TLS, at the same time. What a call that spans the cluster (api::span::merged) is made of.
class peer_servers_client {
public:
    struct dependencies {
        clock& time;
        // The client's side of TLS with this server's certificate as it is now.
        std::function<result<std::shared_ptr<const net::tls_client>>()> tls;
    };

    peer_servers_client(dependencies deps, fan_out_limits allowed)
        : deps_(std::move(deps)), allowed_(allowed) {}

    // What each answers to GET `path`, in their order.
    using answers = std::vector<result<boost::json::object>>;
    async<answers> ask(
        std::vector<cluster::server_record> servers,
        std::string path,
        monotonic::duration patience) const;

    monotonic::duration usual_patience() const { return allowed_.patience; }

private:
    async<boost::json::object> ask_one(std::string url, monotonic::duration patience) const;

    dependencies deps_;
    fan_out_limits allowed_;
};

}  // namespace muster::api
