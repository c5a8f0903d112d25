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

// What the entry of the cluster says to a system.
struct state_response {
    system_state state;
};
struct placement_response {
    std::string address;
};
struct retry_response {  // no place is ready
    monotonic::duration retry_after{};
};
struct told_not_accepted {};
struct no_response {  // no usable answer
    std::string why;
    monotonic::duration retry_after{};
};
using entry_answer = std::
    variant<state_response, placement_response, retry_response, told_not_accepted, no_response>;

struct enrolment_form {
    std::string name;
    std::string machine_id;
    facts all;
    std::string activation_key;
    std::string token;
};

// Asks the cluster's entry: knocks, enrols, asks for the place. One request at a time.
class gateway_client {
public:
    struct way {
        std::shared_ptr<const net::tls_client> tls;
        std::optional<net::endpoint> proxy = std::nullopt;  // SOCKS5
    };

    gateway_client(way there, identity self, muster::clock& clock);

    boost::asio::awaitable<entry_answer> knock(std::string entry);
    boost::asio::awaitable<entry_answer> enrol(std::string entry, enrolment_form form);
    boost::asio::awaitable<entry_answer> ask_place(std::string entry);

    // Lets go of kept connections: an attached agent asks rarely.
    void close_connection();

private:
    boost::asio::awaitable<entry_answer> ask(net::http::outgoing outgoing, bool place);

    way there_;
    identity self_;
    muster::clock& clock_;
    std::unique_ptr<net::http::client> client_;
};

}  // namespace muster::agent
