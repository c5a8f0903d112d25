#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/net/http/service.h"
#include "adapters/net/watchdog.h"
#include "core/model/slot.h"
#include "core/session/node_session.h"
#include "runtime/effect_driver.h"
#include "services/presence/attached_agents.h"

#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list_hook.hpp>

#include <cstdint>
#include <string>

namespace muster::node {

class agent_connection_loop;

// The connection of one agent: drives a session::node_session. Between frames it holds no buffer
// and waits without a timer: the loop's watchdog ends a wait at the session's deadline. Not
// thread-safe; call from its event loop.
class agent_connection : public boost::intrusive::list_base_hook<
                             boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    agent_connection(agent_connection_loop& loop, net::http::channel channel);
    agent_connection(const agent_connection&) = delete;
    agent_connection& operator=(const agent_connection&) = delete;
    ~agent_connection();

    // Runs until the connection has ended.
    boost::asio::awaitable<void> run();

    // Call these on the same loop, while run() waits.
    void close(session::refusal reason);
    void send(const muster::agent_protocol::Frame& frame);
    void request_facts();
    static constexpr std::size_t unsent_bytes_max = std::size_t{4} * 1024 * 1024;
    static constexpr std::size_t deferred_bytes_max = 4096;
    static constexpr monotonic::duration deferred_time_max = std::chrono::seconds(20);

    std::uint64_t number() const { return number_; }
    bool attached() const { return session_->is_attached(); }
    const fingerprint& print() const { return print_; }
    const std::string& zone() const { return zone_; }
    slot slot_number() const { return slot_; }

private:
    using driver = runtime::effect_driver<session::node_session, agent_connection>;
    friend driver;

    void perform(const session::send_welcome& effect);
    void perform(const session::send_refusal& effect);
    void perform(const session::send_heartbeat_reply& effect);
    void perform(const session::send_detach& effect);
    void perform(const session::close_connection& effect);
    void settled() {}
    instant now() const;

    net::progress process();
    bool flush(net::progress& blocked);
    net::stream::wait_result wait_for(net::progress blocked);
    std::size_t unsent() const { return out_.size() - sent_; }
    void discard_sent();
    void receive(std::string_view bytes);
    void receive(muster::agent_protocol::Frame frame);
    void receive_hello(const muster::agent_protocol::Hello& hello);
    void receive_facts(const muster::agent_protocol::Facts& facts);
    void receive_task_frame(muster::agent_protocol::Frame frame);
    result<fingerprint> verify_proof(const muster::agent_protocol::Hello& hello) const;
    void attach(const muster::agent_protocol::Hello& hello);
    void on_wakeup();
    void refuse(const session::refusal& reason);

    agent_connection_loop& loop_;
    net::http::channel channel_;
    std::uint64_t number_;
    net::watchdog::stream_deadline deadline_;
    driver session_;
    muster::agent_protocol::frame_reader frames_;
    std::string out_;
    // Sent with the next frame, a heartbeat response at the latest: a separate write would cost as
    // much as the task itself.
    std::string deferred_;
    bool received_ = false;  // bytes since the last flush
    std::size_t sent_ = 0;
    fingerprint print_;
    system_number system_;
    std::string zone_;
    slot slot_;
    bool is_attached_ = false;  // listed in attached_agents
};

}  // namespace muster::node
