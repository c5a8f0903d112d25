#pragma once

#include "base/time.h"
#include "core/session/attach_decision.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace muster::session {

struct node_session_options {
    monotonic::duration heartbeat_interval = std::chrono::seconds(12);
    monotonic::duration heartbeat_timeout = std::chrono::seconds(28);
    monotonic::duration hello_timeout =
        std::chrono::seconds(10);  // from connect to the complete hello
};

// Effects of the node's side of a connection. The caller executes them in order.
struct send_welcome {
    welcome message;
    friend bool operator==(const send_welcome&, const send_welcome&) = default;
};
struct send_refusal {
    refusal message;
    friend bool operator==(const send_refusal&, const send_refusal&) = default;
};
struct send_heartbeat_reply {
    std::uint64_t sequence = 0;
    bool fenced = false;
    friend bool operator==(const send_heartbeat_reply&, const send_heartbeat_reply&) = default;
};
struct send_detach {
    refusal message;
    friend bool operator==(const send_detach&, const send_detach&) = default;
};
// Close the connection; always the last effect.
struct close_connection {
    reason why = reason::unknown;
    friend bool operator==(const close_connection&, const close_connection&) = default;
};
using node_effect =
    std::variant<send_welcome, send_refusal, send_heartbeat_reply, send_detach, close_connection>;
using node_effects = std::vector<node_effect>;

// The node's side of one connection. The agent sends one hello, then heartbeats, and each heartbeat
// gets a reply. A frame before the hello, a second hello or a timeout ends the connection. No
// effects follow after close_connection.
//
// Pure; not thread-safe. Call expire() no later than deadline().
class node_session {
public:
    node_session(const node_session_options& options, instant opened)
        : heartbeat_timeout_(options.heartbeat_timeout),
          deadline_(opened + options.hello_timeout) {}

    // The agent proved its identity and `decision` was made about it; or its proof failed.
    [[nodiscard]] node_effects on_hello(const attach_decision& decision, instant now);
    [[nodiscard]] node_effects on_unproven_hello();
    [[nodiscard]] node_effects on_heartbeat(std::uint64_t sequence, bool fenced, instant now);
    // Any other frame. The effects close the connection if the agent is not attached.
    [[nodiscard]] node_effects on_frame(instant now);
    // A part of a frame came. A slow frame extends the deadline; a slow hello does not.
    void on_bytes(instant now) {
        if (is_attached()) extend_deadline(now);
    }
    [[nodiscard]] node_effects on_malformed();
    // The node detaches the agent.
    [[nodiscard]] node_effects detach(refusal refusal);
    // The connection broke.
    [[nodiscard]] node_effects on_connection_lost(reason reason);
    [[nodiscard]] node_effects expire(instant now);

    instant deadline() const { return deadline_; }
    bool is_attached() const { return stage_ == stage::attached; }
    bool is_ended() const { return stage_ == stage::ended; }

private:
    // An enum and not a variant of states, to save memory: a node has thousands of sessions.
    enum class stage : std::uint8_t { awaiting_hello, attached, ended };

    void extend_deadline(instant now) { deadline_ = now + heartbeat_timeout_; }
    node_effects end(reason why);

    monotonic::duration heartbeat_timeout_;
    instant deadline_;
    stage stage_ = stage::awaiting_hello;
};

}  // namespace muster::session
