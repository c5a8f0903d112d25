#pragma once

#include "adapters/net/http/client.h"
#include "apps/agent/service/identity.h"
#include "base/time.h"
#include "core/model/facts.h"
#include "core/model/system.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace muster::agent {

// Responses of a gateway to an agent.
struct state_response {
    system_state state;
};
struct placement_response {
    std::string address;
};
struct retry_response {  // no placement is ready
    monotonic::duration retry_after{};
};
struct not_accepted_response {};
struct no_response {  // no usable response
    std::string reason;
    monotonic::duration retry_after{};
};
using gateway_response = std::
    variant<state_response, placement_response, retry_response, not_accepted_response, no_response>;

struct enrolment_form {
    std::string name;
    std::string machine_id;
    muster::facts facts;
    std::string activation_key;
    std::string token;
};

// Sends the agent's requests to a gateway: status, enrolment, placement. One request at a time. Not
// thread-safe.
class gateway_client {
public:
    struct options {
        std::shared_ptr<const net::tls_client> tls;
        std::optional<net::endpoint> proxy = std::nullopt;  // SOCKS5
    };

    gateway_client(options options, agent::identity identity, muster::clock& clock);

    boost::asio::awaitable<gateway_response> request_status(std::string entry);
    boost::asio::awaitable<gateway_response> enrol(std::string entry, enrolment_form form);
    boost::asio::awaitable<gateway_response> request_placement(std::string entry);

    // Closes idle connections: an attached agent rarely sends requests.
    void close_connection();

private:
    enum class response_kind { state, placement };
    boost::asio::awaitable<gateway_response> send_request(
        net::http::client_request request, response_kind kind);

    options options_;
    agent::identity identity_;
    muster::clock& clock_;
    std::unique_ptr<net::http::client> client_;
};

}  // namespace muster::agent
