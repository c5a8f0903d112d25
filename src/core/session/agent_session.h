#pragma once

#include "base/time.h"
#include "core/session/reason.h"
#include "core/session/round_trips.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::session {

struct agent_session_options {
    monotonic::duration welcome_timeout = std::chrono::seconds(15);  // from connect to the welcome
    // Bounds of the interval that a node may request.
    monotonic::duration heartbeat_min = std::chrono::milliseconds(100);
    monotonic::duration heartbeat_max = std::chrono::minutes(5);
};

// The heartbeat that a node requests in its welcome.
struct heartbeat_options {
    monotonic::duration interval{};
    monotonic::duration timeout{};
};

// Effects of the agent's side of a connection. The caller executes them in order.
struct send_hello {
    friend bool operator==(const send_hello&, const send_hello&) = default;
};
struct send_heartbeat {
    std::uint64_t sequence = 0;
    friend bool operator==(const send_heartbeat&, const send_heartbeat&) = default;
};
// The node is fenced: check whether another node serves this system.
struct node_fenced {
    friend bool operator==(const node_fenced&, const node_fenced&) = default;
};
// Close the connection; always the last effect.
struct disconnect {
    reason why = reason::unknown;
    std::string address;  // for reason `moved`
    monotonic::duration retry_after{};
    friend bool operator==(const disconnect&, const disconnect&) = default;
};
using agent_session_effect = std::variant<send_hello, send_heartbeat, node_fenced, disconnect>;
using agent_session_effects = std::vector<agent_session_effect>;

// The agent's side of one connection. Sends a hello, waits for a welcome or refusal, then sends
// heartbeats at the interval that the node requested. Disconnects if nothing comes from the node
// for the heartbeat timeout, so a half-open connection is noticed in seconds. No effects follow
// after `disconnect`.
//
// Pure; not thread-safe. Call expire() no later than deadline().
class agent_session {
public:
    agent_session(const agent_session_options& options, instant opened)
        : options_(options), timeout_at_(opened + options.welcome_timeout) {}

    [[nodiscard]] agent_session_effects open();
    [[nodiscard]] agent_session_effects on_welcome(const heartbeat_options& requested, instant now);
    // The node refused the agent (before the welcome) or detached it (after).
    [[nodiscard]] agent_session_effects on_dismissed(disconnect effect);
    [[nodiscard]] agent_session_effects on_heartbeat(bool fenced, instant now);
    // Any other frame; allowed after the welcome.
    [[nodiscard]] agent_session_effects on_frame(instant now);
    // Bytes were sent or received. A slow frame extends the timeout too.
    void on_bytes(instant now);
    [[nodiscard]] agent_session_effects on_malformed();
    // The connection broke.
    [[nodiscard]] agent_session_effects on_connection_lost(reason reason);
    [[nodiscard]] agent_session_effects expire(instant now);

    instant deadline() const;
    bool is_attached() const { return stage_ == stage::attached; }
    bool is_ended() const { return stage_ == stage::ended; }
    const round_trips& quality() const { return quality_; }

private:
    enum class stage : std::uint8_t { awaiting_welcome, attached, ended };

    agent_session_effects end(disconnect effect);

    agent_session_options options_;
    heartbeat_options heartbeat_{};
    instant timeout_at_;
    instant next_heartbeat_{};
    std::optional<instant> heartbeat_sent_;  // the one without a reply
    round_trips quality_;
    std::uint64_t sequence_ = 0;
    stage stage_ = stage::awaiting_welcome;
};

}  // namespace muster::session
