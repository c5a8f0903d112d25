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

// One agent's channel: drives a session::node_session over a connection. Between frames it holds no
// buffer and waits without a timer: the loop's watchdog ends a wait at the session's deadline. Not
// thread-safe; call from its event loop.
class agent_connection : public boost::intrusive::list_base_hook<
                             boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    agent_connection(agent_connection_loop& on, net::http::channel channel);
    agent_connection(const agent_connection&) = delete;
    agent_connection& operator=(const agent_connection&) = delete;
    ~agent_connection();

    // Until the channel has ended.
    boost::asio::awaitable<void> run();

    // From elsewhere on the same loop, while run() waits.
    void let_go(session::refusal why);
    void send(const muster::agent_protocol::Frame& frame);
    void ask_for_facts();
    static constexpr std::size_t unsent_bytes_max = std::size_t{4} * 1024 * 1024;
    static constexpr std::size_t unhurried_bytes_max = 4096;
    static constexpr monotonic::duration unhurried_time_max = std::chrono::seconds(20);

    std::uint64_t number() const { return number_; }
    bool attached() const { return session_->attached(); }
    const fingerprint& print() const { return print_; }
    const std::string& zone() const { return zone_; }
    slot where() const { return slot_; }

private:
    using driver = runtime::effect_driver<session::node_session, agent_connection>;
    friend driver;

    void perform(const session::send_welcome& effect);
    void perform(const session::send_refusal& effect);
    void perform(const session::send_beat& effect);
    void perform(const session::send_detach& effect);
    void perform(const session::close_connection& effect);
    void settled() {}
    instant now() const;

    net::progress turn();
    bool flush(net::progress& blocked);
    net::stream::waited wait_for(net::progress blocked);
    std::size_t unsent() const { return out_.size() - sent_; }
    void drop_sent();
    void take(std::string_view bytes);
    void take(muster::agent_protocol::Frame frame);
    void take_hello(const muster::agent_protocol::Hello& hello);
    void take_facts(const muster::agent_protocol::Facts& facts);
    void take_of_tasks(muster::agent_protocol::Frame frame);
    result<fingerprint> proven(const muster::agent_protocol::Hello& hello) const;
    void admit(const muster::agent_protocol::Hello& hello);
    void woken();
    void refuse(const session::refusal& why);

    agent_connection_loop& on_;
    net::http::channel given_;
    std::uint64_t number_;
    net::watchdog::watched deadline_;
    driver session_;
    muster::agent_protocol::frame_reader frames_;
    std::string out_;
    // Sent with whatever is sent next, a beat's answer at the latest: a write of its own would cost
    // as much as the task it is about.
    std::string unhurried_;
    bool heard_ = false;  // since the last flush
    std::size_t sent_ = 0;
    fingerprint print_;
    system_number system_;
    std::string zone_;
    slot slot_;
    bool present_ = false;  // among the attached, until it is taken off
};

}  // namespace muster::node
