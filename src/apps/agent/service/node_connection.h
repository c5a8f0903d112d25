#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/net/connect.h"
#include "apps/agent/service/identity.h"
#include "core/session/agent_facts.h"
#include "core/session/agent_session.h"
#include "ports/async.h"
#include "ports/clock.h"
#include "runtime/effect_driver.h"

#include <deque>
#include <functional>
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

// The agent's end of one channel: drives core/session/agent_session over TLS. One coroutine reads
// and writes, so nothing here is shared; a read that ends at the session's deadline is its timer.
// Not thread-safe; call from one event loop.
class node_connection {
public:
    struct terms {
        net::endpoint where;
        std::shared_ptr<const net::tls_client> tls;  // ALPN muster/1
        std::optional<net::endpoint> proxy;          // SOCKS5
        pki::private_key key;
        std::string start;         // made anew at each start of the agent
        std::string facts_digest;  // of what the cluster last took
    };
    struct callbacks {
        std::function<void(const attachment&)> attached;
        std::function<void()> fenced;
        std::function<void(const std::string& digest, bool desired)> facts_answered;
        // Whether it knows what to do with a frame; and that no more came with the last ones.
        std::function<bool(const agent_protocol::Frame&)> other_frame;
        std::function<void()> read_done;
        // The network to the node: soon after the welcome, and now and then.
        std::function<void(const session::round_trips&)> measured;
    };

    node_connection(terms terms, callbacks tell, clock& time);

    // From connecting to the end; says how it ended.
    boost::asio::awaitable<session::channel_over> run();

    // To be sent while the channel stands.
    void send(const session::facts_message& facts_message);
    void send(const agent_protocol::Frame& frame);
    // After everything else. False: too much of this kind waits already.
    bool send_bulk(const agent_protocol::Frame& frame);
    // After that, too: what is lost of it is lost.
    bool send_output(const agent_protocol::Frame& frame);
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
    instant now() const { return time_.now(); }

    result<agent_protocol::Frame> hello() const;
    boost::asio::awaitable<void> serve();
    async<void> flush();
    async<void> write(std::string bytes);
    void meanwhile();
    void wake();
    void take(const agent_protocol::Frame& frame);
    void take_bytes(std::string_view bytes);

    terms options_;
    callbacks tell_;
    clock& time_;
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
