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

// What all agents of a swarm have in common.
struct common {
    muster::clock& clock;
    swarm_counters& counted;
    std::vector<std::string> entries;  // URLs of the cluster, no slash at the end
    std::shared_ptr<const net::tls_client> http_tls;
    std::shared_ptr<const net::tls_client> channel_tls;
    lifecycle::agent_life_options life;
    std::string name_prefix;
    std::string activation_key;
    std::string start;  // of this process
};

// One real agent, as small as it can be: its own key, the agent's own state machines, one
// connection. Lives on one event loop.
class swarm_agent {
public:
    // What the agents of one event loop share.
    struct dependencies {
        net::watchdog& deadlines;
        connect_limiter& door;
        swarm_payloads& outputs;
    };
    swarm_agent(const common& all, dependencies deps, std::uint64_t number, pki::private_key key);
    swarm_agent(const swarm_agent&) = delete;
    swarm_agent& operator=(const swarm_agent&) = delete;
    ~swarm_agent();

    // Until it is cancelled, or the cluster says Deleted.
    boost::asio::awaitable<void> run(monotonic::duration first_pause);

private:
    using effects = lifecycle::agent_effects;
    using channel_driver = runtime::effect_driver<session::agent_session, swarm_agent>;
    friend channel_driver;

    void perform(const session::send_hello& effect);
    void perform(const session::send_heartbeat& effect);
    void perform(const session::node_fenced& effect);
    void perform(const session::channel_over& effect);
    void settled() {}
    instant now() const { return all_.clock.now(); }

    boost::asio::awaitable<effects> carry_out(lifecycle::agent_effect agent_effect);
    boost::asio::awaitable<effects> ask_status(std::size_t entry);
    boost::asio::awaitable<effects> ask_enrolment(std::size_t entry);
    boost::asio::awaitable<effects> ask_place(std::size_t entry);
    boost::asio::awaitable<effects> hold_channel(std::string address);
    async<net::http::answer> send(net::http::outgoing outgoing);
    async<void> open(std::string address);
    boost::asio::awaitable<void> turn_channel();
    net::progress turn();
    bool flush(net::progress& blocked);
    void take(const muster::agent_protocol::Frame& frame);
    result<void> hello();
    effects failed(const std::string& why, monotonic::duration retry = {});
    swarm_tasks::moment moment() const { return {.now = now(), .wall = all_.clock.wall()}; }

    const common& all_;
    dependencies deps_;
    std::uint64_t number_;
    pki::private_key key_;
    std::string print_;
    lifecycle::agent_state_machine life_;
    std::unique_ptr<net::http::client> client_;
    std::unique_ptr<net::stream> stream_;
    channel_driver session_;
    muster::agent_protocol::frame_reader frames_;
    swarm_tasks tasks_;
    std::string out_;
    effects owed_;  // by the life, for what happened on the channel
    bool standing_ = false;
};

}  // namespace muster::swarm
