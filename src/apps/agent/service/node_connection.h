#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/net/connect.h"
#include "apps/agent/service/identity.h"
#include "apps/agent/tasks/node_sender.h"
#include "core/session/agent_facts.h"
#include "core/session/agent_session.h"
#include "ports/async.h"
#include "ports/clock.h"
#include "runtime/effect_driver.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace muster::agent {

// The node's response to a successful attach.
struct attachment {
    std::string node;
    std::int64_t system = 0;
    bool facts_wanted = false;
};

// Receives the notifications of a node connection.
class node_connection_listener {
public:
    node_connection_listener() = default;
    node_connection_listener(const node_connection_listener&) = delete;
    node_connection_listener& operator=(const node_connection_listener&) = delete;
    virtual ~node_connection_listener() = default;

    virtual void attached(const attachment& attachment) = 0;
    // The node is fenced and may not act now.
    virtual void node_fenced() = 0;
    virtual void facts_answered(const std::string& digest, bool wanted) = 0;
    // Returns false for an unknown frame. read_done() follows the last frame of a batch.
    virtual bool handle_frame(const agent_protocol::Frame& frame) = 0;
    virtual void read_done() = 0;
    // Round trips to the node: soon after attaching, then rarely.
    virtual void measured(const session::round_trips& round_trips) = 0;
};

// The agent's connection to its node: runs core/session/agent_session over TLS. One coroutine reads
// and writes; the timeout of its read is the session's timer. Not thread-safe; call from one event
// loop.
class node_connection final : public node_sender {
public:
    struct options {
        net::endpoint address;
        std::shared_ptr<const net::tls_client> tls;  // ALPN muster/1
        std::optional<net::endpoint> proxy;          // SOCKS5
        pki::private_key key;
        std::string start;         // random id of this agent process
        std::string facts_digest;  // of the facts that the cluster accepted last
    };

    node_connection(options options, node_connection_listener& listener, muster::clock& clock);

    // Connects and serves until the end; returns why it ended.
    boost::asio::awaitable<session::disconnect> run();

    // Frames are sent while the connection lasts.
    void send(const session::facts_message& facts_message);
    void send(const agent_protocol::Frame& frame) override;
    bool send_bulk(const agent_protocol::Frame& frame) override;
    bool send_output(const agent_protocol::Frame& frame) override;
    // Makes run() end soon.
    void close();
    const net::endpoint& address() const { return options_.address; }
    // Why the connection failed, for people; empty if the node gave the reason.
    const std::string& failure() const { return failure_; }

private:
    using driver = runtime::effect_driver<session::agent_session, node_connection>;
    friend driver;

    void perform(const session::send_hello& effect);
    void perform(const session::send_heartbeat& effect);
    void perform(const session::node_fenced& effect);
    void perform(const session::disconnect& effect);
    void settled() {}
    instant now() const { return clock_.now(); }

    result<agent_protocol::Frame> build_hello() const;
    boost::asio::awaitable<void> serve();
    async<void> flush();
    async<void> write(std::string bytes);
    void read_available();
    void wake();
    void handle(const agent_protocol::Frame& frame);
    void handle_bytes(std::string_view bytes);

    options options_;
    node_connection_listener& listener_;
    muster::clock& clock_;
    std::unique_ptr<net::stream> stream_;
    agent_protocol::frame_reader frames_;
    driver session_;
    std::string outbox_;
    std::deque<std::string> bulk_;
    std::deque<std::string> output_;
    bool reading_ = false;
    bool interrupted_to_send_ = false;  // a read was ended because there is something to send
    bool closed_ = false;
    session::disconnect ending_{.why = session::reason::broken};
    std::string failure_;
};

}  // namespace muster::agent
