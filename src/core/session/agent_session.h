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

struct agent_terms {
    monotonic::duration welcome_time = std::chrono::seconds(15);  // from connect to an answer
    // What a server may ask for is kept within these.
    monotonic::duration heartbeat_min = std::chrono::milliseconds(100);
    monotonic::duration heartbeat_max = std::chrono::minutes(5);
};

// What a welcome says about the channel.
struct channel_terms {
    monotonic::duration heartbeat{};
    monotonic::duration silence{};
};

// What the agent's side of a channel is to do, in this order.
struct send_hello {
    friend bool operator==(const send_hello&, const send_hello&) = default;
};
struct send_heartbeat {
    std::uint64_t sequence = 0;
    friend bool operator==(const send_heartbeat&, const send_heartbeat&) = default;
};
// The node may not act: look whether another one serves us.
struct node_fenced {
    friend bool operator==(const node_fenced&, const node_fenced&) = default;
};
// Close; always the last.
struct channel_over {
    reason why = reason::unknown;
    std::string address;  // with `moved`
    monotonic::duration retry_after{};
    friend bool operator==(const channel_over&, const channel_over&) = default;
};
using agent_session_effect = std::variant<send_hello, send_heartbeat, node_fenced, channel_over>;
using agent_session_effects = std::vector<agent_session_effect>;

// The agent's side of one channel: it says hello, is welcomed or refused, and beats as often as the
// node asked for. A node that is not heard for the agreed silence is given up, so a half-open
// connection is noticed in seconds. After channel_over nothing more comes out.
//
// Pure. Call expire() no later than deadline().
class agent_session {
public:
    agent_session(const agent_terms& terms, instant opened)
        : terms_(terms), give_up_(opened + terms.welcome_time) {}

    [[nodiscard]] agent_session_effects open();
    [[nodiscard]] agent_session_effects welcomed(const channel_terms& agreed, instant now);
    // A refusal before the welcome, a goodbye after it.
    [[nodiscard]] agent_session_effects dismissed(channel_over channel_over);
    [[nodiscard]] agent_session_effects beat(bool fenced, instant now);
    // Any other frame that a node may send once it has welcomed us.
    [[nodiscard]] agent_session_effects other_frame(instant now);
    // Bytes came or went: a frame that takes long to pass is a sign of life, too.
    void bytes_moved(instant now);
    [[nodiscard]] agent_session_effects malformed();
    // The connection is gone.
    [[nodiscard]] agent_session_effects lost(reason reason);
    [[nodiscard]] agent_session_effects expire(instant now);

    instant deadline() const;
    bool attached() const { return stage_ == stage::attached; }
    bool ended() const { return stage_ == stage::ended; }
    const round_trips& quality() const { return quality_; }

private:
    enum class stage : std::uint8_t { awaiting_welcome, attached, ended };

    agent_session_effects end(channel_over channel_over);

    agent_terms terms_;
    channel_terms agreed_{};
    instant give_up_;
    instant next_beat_{};
    std::optional<instant> beat_sent_;  // one that is not answered yet
    round_trips quality_;
    std::uint64_t sequence_ = 0;
    stage stage_ = stage::awaiting_welcome;
};

}  // namespace muster::session
