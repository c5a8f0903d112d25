#pragma once

#include "base/time.h"
#include "core/session/attach_decision.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace muster::session {

struct node_terms {
    monotonic::duration heartbeat = std::chrono::seconds(12);
    monotonic::duration silence = std::chrono::seconds(28);
    monotonic::duration hello_time = std::chrono::seconds(10);  // from connect to a whole hello
};

// What the node's side of a channel is to do, in this order.
struct send_welcome {
    welcome what;
    friend bool operator==(const send_welcome&, const send_welcome&) = default;
};
struct send_refusal {
    refusal what;
    friend bool operator==(const send_refusal&, const send_refusal&) = default;
};
struct send_beat {
    std::uint64_t sequence = 0;
    bool fenced = false;
    friend bool operator==(const send_beat&, const send_beat&) = default;
};
struct send_detach {
    refusal what;
    friend bool operator==(const send_detach&, const send_detach&) = default;
};
// Close; always the last.
struct close_connection {
    reason why = reason::unknown;
    friend bool operator==(const close_connection&, const close_connection&) = default;
};
using node_effect =
    std::variant<send_welcome, send_refusal, send_beat, send_detach, close_connection>;
using node_effects = std::vector<node_effect>;

// The node's side of one channel. The agent speaks first and says hello once; then it beats, and
// every beat is answered. Whatever else it says out of turn ends the channel, and so does silence.
// After close_connection nothing more comes out.
//
// Pure. Call expire() no later than deadline().
class node_session {
public:
    node_session(const node_terms& terms, instant opened)
        : silence_(terms.silence), deadline_(opened + terms.hello_time) {}

    // The agent has proven who it is and was judged; or its proof did not hold.
    [[nodiscard]] node_effects hello(const attach_decision& about, instant now);
    [[nodiscard]] node_effects hello_unproven();
    [[nodiscard]] node_effects beat(std::uint64_t sequence, bool fenced, instant now);
    // Any other frame: whether it may come now. When not, the effects end the channel.
    [[nodiscard]] node_effects other_frame(instant now);
    // Part of a frame came: one that takes long to pass is a sign of life, too. A hello is not.
    void bytes_moved(instant now) {
        if (attached()) heard(now);
    }
    [[nodiscard]] node_effects malformed();
    // The node lets go of the agent.
    [[nodiscard]] node_effects let_go(refusal why);
    // The connection is gone.
    [[nodiscard]] node_effects lost(reason reason);
    [[nodiscard]] node_effects expire(instant now);

    instant deadline() const { return deadline_; }
    bool attached() const { return stage_ == stage::attached; }
    bool ended() const { return stage_ == stage::ended; }

private:
    // No variant of states: there are eighteen thousand of these, and only one deadline to keep.
    enum class stage : std::uint8_t { awaiting_hello, attached, ended };

    void heard(instant now) { deadline_ = now + silence_; }
    node_effects end(reason why);

    monotonic::duration silence_;
    instant deadline_;
    stage stage_ = stage::awaiting_hello;
};

}  // namespace muster::session
