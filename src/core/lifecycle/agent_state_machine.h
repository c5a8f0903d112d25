#pragma once

#include "base/backoff.h"
#include "base/prng.h"
#include "base/time.h"
#include "core/model/system.h"
#include "core/session/reason.h"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::lifecycle {

struct agent_life_options {
    std::size_t entries = 1;  // how many entry addresses of the cluster there are
    monotonic::duration poll = std::chrono::seconds(10);  // between knocks while it is new
    // A full pool forgets systems, and nobody can tell that from a status.
    monotonic::duration enrol_again = std::chrono::minutes(10);
    backoff::options pause{
        .first = std::chrono::milliseconds(500), .longest = std::chrono::seconds(60)};
    monotonic::duration retry_after_max = std::chrono::minutes(15);  // whatever a server asks for
    monotonic::duration stable = std::chrono::seconds(10);  // a channel that stood so long is well
    monotonic::duration look_again = std::chrono::seconds(10);  // at a fenced node
    unsigned moves_max = 5;  // from node to node without asking the entry
};

// What the agent is to do, in this order.
struct request_status {
    std::size_t entry = 0;
    friend bool operator==(const request_status&, const request_status&) = default;
};
struct enrol {
    std::size_t entry = 0;
    friend bool operator==(const enrol&, const enrol&) = default;
};
struct ask_place {
    std::size_t entry = 0;
    friend bool operator==(const ask_place&, const ask_place&) = default;
};
struct open_channel {
    std::string address;
    friend bool operator==(const open_channel&, const open_channel&) = default;
};
// No channel_ended() comes for a channel that was closed by this.
struct close_channel {
    friend bool operator==(const close_channel&, const close_channel&) = default;
};
// The scenario of this state is due. `address` is the node's when the system is onboarded.
struct enter_state {
    system_state state = system_state::fresh;
    std::string address;
    friend bool operator==(const enter_state&, const enter_state&) = default;
};
struct stop_for_ever {
    friend bool operator==(const stop_for_ever&, const stop_for_ever&) = default;
};
using agent_effect = std::variant<
    request_status,
    enrol,
    ask_place,
    open_channel,
    close_channel,
    enter_state,
    stop_for_ever>;
using agent_effects = std::vector<agent_effect>;

// How a channel ended, or why a node did not take the agent in.
struct channel_ending {
    session::reason why = session::reason::unknown;
    std::string address = {};  // with `moved`
    monotonic::duration retry_after{};
};

// An agent's life: knock, enrol, wait to be accepted, ask for the place, hold the channel, and all
// of it again when something is lost. It ends when the cluster says Deleted, and only then.
//
// Promises: at most one request under way and at most one channel; a pause before whatever was
// done is done again; no earlier than a server asked for. It is told that it is an orphan only when
// the cluster has no place for it or another one, so a broken connection disturbs nobody.
//
// Pure. The driver feeds back the outcome of every request, and calls expire() at next_deadline().
class agent_state_machine {
public:
    agent_state_machine(const agent_life_options& options, prng random);

    [[nodiscard]] agent_effects start(instant now);

    // The answer to knock and to enrol; Deleted may be the answer to ask_place too.
    [[nodiscard]] agent_effects told(system_state state, instant now);
    // The answers to ask_place.
    [[nodiscard]] agent_effects placed(std::string address, instant now);
    [[nodiscard]] agent_effects unplaced(monotonic::duration retry_after, instant now);
    [[nodiscard]] agent_effects not_accepted(instant now);
    // No usable answer to the request under way; `retry_after` is zero when none was named.
    [[nodiscard]] agent_effects failed(monotonic::duration retry_after, instant now);

    [[nodiscard]] agent_effects welcomed(instant now);
    [[nodiscard]] agent_effects channel_ended(const channel_ending& channel_ending, instant now);
    // The node says that it may not act: perhaps another one serves us by now.
    [[nodiscard]] agent_effects fenced(instant now);

    [[nodiscard]] agent_effects expire(instant now);
    std::optional<instant> next_deadline() const;

    bool ended() const { return std::holds_alternative<over>(state_); }
    bool attached() const { return std::holds_alternative<connected>(state_); }

private:
    enum class request { status, enrol, place };
    struct idle {};
    struct asking {
        request what;
    };
    struct opening {
        std::string address;
    };
    struct connected {
        std::string address;
        instant since;
        bool looking = false;  // asks for its place while the channel stands
        instant look_not_before;
    };
    struct resting {
        instant until;
        std::variant<request, opening> then;
    };
    struct over {};

    agent_effects ask(request what);
    agent_effects open(std::string address);
    agent_effects rest(
        monotonic::duration retry_after, std::variant<request, opening> then, instant now);
    agent_effects end();
    agent_effects after_loss(const std::string& address, monotonic::duration pause, instant now);
    agent_effects follow(
        const std::string& from, const channel_ending& channel_ending, instant now);
    void enter(agent_effects& out, system_state state, const std::string& address = {});
    monotonic::duration pause_for(monotonic::duration retry_after);
    monotonic::duration jittered(monotonic::duration span);

    agent_life_options options_;
    prng random_;
    backoff pause_;
    std::variant<idle, asking, opening, connected, resting, over> state_;
    std::size_t entry_ = 0;
    std::optional<instant> enrolled_;
    std::optional<system_state> entered_;
    std::string place_;  // the node last known to serve us
    bool tried_place_ = false;
    unsigned moves_ = 0;
};

}  // namespace muster::lifecycle
