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

// What the channel was told when the node took the agent in.
struct attachment {
    std::string node;
    std::int64_t system = 0;
    bool facts_wanted = false;
};

// What a connection to a node tells whoever opened it.
class node_connection_listener {
public:
    node_connection_listener() = default;
    node_connection_listener(const node_connection_listener&) = delete;
    node_connection_listener& operator=(const node_connection_listener&) = delete;
    virtual ~node_connection_listener() = default;

    virtual void attached(const attachment& attachment) = 0;
    // The node may not act now.
    virtual void node_fenced() = 0;
    virtual void facts_answered(const std::string& digest, bool desired) = 0;
    // Whether it knows what to do with a frame; and that no more came with the last ones.
    virtual bool take_frame(const agent_protocol::Frame& frame) = 0;
    virtual void read_done() = 0;
    // The network to the node: soon after the welcome, and now and then.
    virtual void measured(const session::round_trips& round_trips) = 0;
};

// The agent's end of one channel: drives core/session/agent_session over TLS. One coroutine reads
// and writes, so nothing here is shared; a read that ends at the session's deadline is its timer.
// Not thread-safe; call from one event loop.
class node_connection final : public node_sender {
public:
    struct terms {
        net::endpoint where;
        std::shared_ptr<const net::tls_client> tls;  // ALPN muster/1
        std::optional<net::endpoint> proxy;          // SOCKS5
        pki::private_key key;
        std::string start;         // made anew at each start of the agent
        std::string facts_digest;  // of what the cluster last took
    };

    node_connection(terms terms, node_connection_listener& listener, muster::clock& clock);

    // From connecting to the end; says how it ended.
    boost::asio::awaitable<session::channel_over> run();

    // To be sent while the channel stands.
    void send(const session::facts_message& facts_message);
    void send(const agent_protocol::Frame& frame) override;
    bool send_bulk(const agent_protocol::Frame& frame) override;
    bool send_output(const agent_protocol::Frame& frame) override;
    // Ends run() soon.
    void close();
    const net::endpoint& where() const { return options_.where; }
    // Why the connection failed, for people; empty when the node said how it ended.
    const std::string& trouble() const { return trouble_; }

private:
    using driver = runtime::effect_driver<session::agent_session, node_connection>;
    friend driver;

    void perform(const session::send_hello& effect);
    void perform(const session::send_heartbeat& effect);
    void perform(const session::node_fenced& effect);
    void perform(const session::channel_over& effect);
    void settled() {}
    instant now() const { return clock_.now(); }

    result<agent_protocol::Frame> hello() const;
    boost::asio::awaitable<void> serve();
    async<void> flush();
    async<void> write(std::string bytes);
    void meanwhile();
    void wake();
    void take(const agent_protocol::Frame& frame);
    void take_bytes(std::string_view bytes);

    terms options_;
    node_connection_listener& listener_;
    muster::clock& clock_;
    std::unique_ptr<net::stream> stream_;
    agent_protocol::frame_reader frames_;
    driver session_;
    std::string outbox_;
    std::deque<std::string> bulk_;
    std::deque<std::string> output_;
    bool reading_ = false;
    bool woken_ = false;  // a read was ended because there is something to send
    bool closed_ = false;
    session::channel_over ending_{.why = session::reason::broken};
    std::string trouble_;
};

}  // namespace muster::agent
