#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/net/connect.h"
#include "adapters/net/http/client.h"
#include "adapters/net/watchdog.h"
#include "adapters/pki/key.h"
#include "apps/swarm/agents/connect_limiter.h"
#include "apps/swarm/agents/swarm_counters.h"
#include "apps/swarm/agents/swarm_tasks.h"
#include "core/lifecycle/agent_state_machine.h"
#include "core/session/agent_session.h"
#include "ports/clock.h"
#include "runtime/effect_driver.h"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::swarm {

// Shared by all agents of a swarm.
struct swarm_context {
    muster::clock& clock;
    swarm_counters& counters;
    std::vector<std::string> entries;  // URLs of the cluster, no slash at the end
    std::shared_ptr<const net::tls_client> http_tls;
    std::shared_ptr<const net::tls_client> channel_tls;
    lifecycle::agent_machine_options life;
    std::string name_prefix;
    std::string activation_key;
    std::string start;  // id of this process
};

// A minimal real agent: own key, the agent's state machines, one connection. Not thread-safe; lives
// on one event loop.
class swarm_agent {
public:
    // Shared by the agents of one event loop.
    struct dependencies {
        net::watchdog& deadlines;
        swarm::connect_limiter& connect_limiter;
        swarm_payloads& payloads;
    };
    swarm_agent(
        const swarm_context& context,
        dependencies deps,
        std::uint64_t number,
        pki::private_key key);
    swarm_agent(const swarm_agent&) = delete;
    swarm_agent& operator=(const swarm_agent&) = delete;
    ~swarm_agent();

    // Runs until it is cancelled or the cluster deletes the system.
    boost::asio::awaitable<void> run(monotonic::duration first_pause);

private:
    using effects = lifecycle::agent_effects;
    using session_driver = runtime::effect_driver<session::agent_session, swarm_agent>;
    friend session_driver;

    void perform(const session::send_hello& effect);
    void perform(const session::send_heartbeat& effect);
    void perform(const session::node_fenced& effect);
    void perform(const session::disconnect& effect);
    void settled() {}
    instant now() const { return context_.clock.now(); }

    boost::asio::awaitable<effects> execute(lifecycle::agent_effect agent_effect);
    boost::asio::awaitable<effects> request_status(std::size_t entry);
    boost::asio::awaitable<effects> request_enrolment(std::size_t entry);
    boost::asio::awaitable<effects> request_placement(std::size_t entry);
    boost::asio::awaitable<effects> run_connection(std::string address);
    async<net::http::client_response> send(net::http::client_request request);
    async<void> open(std::string address);
    boost::asio::awaitable<void> serve_connection();
    net::progress read_and_write();
    bool flush(net::progress& blocked);
    void handle(const muster::agent_protocol::Frame& frame);
    result<void> queue_hello();
    effects failed(const std::string& error, monotonic::duration retry = {});
    swarm_tasks::moment moment() const { return {.now = now(), .wall = context_.clock.wall()}; }

    const swarm_context& context_;
    dependencies deps_;
    std::uint64_t number_;
    pki::private_key key_;
    std::string print_;
    lifecycle::agent_state_machine life_cycle_;
    std::unique_ptr<net::http::client> client_;
    std::unique_ptr<net::stream> stream_;
    session_driver session_;
    muster::agent_protocol::frame_reader frames_;
    swarm_tasks tasks_;
    std::string outbox_;
    effects pending_;  // effects of the life cycle caused by the connection
    bool attached_ = false;
};

}  // namespace muster::swarm
