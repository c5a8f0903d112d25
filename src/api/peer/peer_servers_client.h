#pragma once

#include "adapters/net/tls_client_source.h"
#include "api/peer/fan_out.h"
#include "ports/clock.h"
#include "services/cluster/record.h"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace muster::api {

// Requests data from all other servers concurrently, over mutual TLS. Used by operations that merge
// the responses of all servers (api::span::merged). Thread-safe.
class peer_servers_client {
public:
    struct dependencies {
        muster::clock& clock;
        const net::tls_client_source& tls;
    };

    peer_servers_client(dependencies deps, fan_out_limits limits)
        : deps_(std::move(deps)), limits_(limits) {}

    // Responses to GET `path`, in the order of `servers`.
    using responses = std::vector<result<boost::json::object>>;
    async<responses> request_all(
        std::vector<cluster::server_record> servers,
        std::string path,
        monotonic::duration timeout) const;

    monotonic::duration default_timeout() const { return limits_.timeout; }

private:
    async<boost::json::object> request_one(std::string url, monotonic::duration timeout) const;

    dependencies deps_;
    fan_out_limits limits_;
};

}  // namespace muster::api
