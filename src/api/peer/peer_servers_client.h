#pragma once

#include "adapters/net/tls_client_source.h"
#include "api/peer/fan_out.h"
#include "ports/clock.h"
#include "services/cluster/record.h"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace muster::api {

// The way from a gateway to all the other servers, for what each knows of itself alone: over mutual
// TLS, at the same time. What a call that spans the cluster (api::span::merged) is made of.
class peer_servers_client {
public:
    struct dependencies {
        muster::clock& clock;
        const net::tls_client_source& tls;
    };

    peer_servers_client(dependencies deps, fan_out_limits allowed)
        : deps_(std::move(deps)), allowed_(allowed) {}

    // What each answers to GET `path`, in their order.
    using answers = std::vector<result<boost::json::object>>;
    async<answers> ask(
        std::vector<cluster::server_record> servers,
        std::string path,
        monotonic::duration timeout) const;

    monotonic::duration usual_timeout() const { return allowed_.timeout; }

private:
    async<boost::json::object> ask_one(std::string url, monotonic::duration timeout) const;

    dependencies deps_;
    fan_out_limits allowed_;
};

}  // namespace muster::api
