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

struct agent_machine_options {
    std::size_t entries = 1;  // number of entry addresses of the cluster
    monotonic::duration poll_interval =
        std::chrono::seconds(10);  // between status requests while not accepted
    // A full pool evicts systems, and the status does not show that; so the agent enrols again.
    monotonic::duration enrol_interval = std::chrono::minutes(10);
    backoff::options retry{
        .first = std::chrono::milliseconds(500), .longest = std::chrono::seconds(60)};
    monotonic::duration retry_after_max =
        std::chrono::minutes(15);  // bounds what a server requests
    monotonic::duration stable_after =
        std::chrono::seconds(10);  // connected this long: resets the backoff
    monotonic::duration recheck_interval = std::chrono::seconds(10);  // while the node is fenced
    unsigned moves_max = 5;  // redirects without a placement request
};

// Effects. The caller executes them in order.
struct request_status {
    std::size_t entry = 0;
    friend bool operator==(const request_status&, const request_status&) = default;
};
struct enrol {
    std::size_t entry = 0;
    friend bool operator==(const enrol&, const enrol&) = default;
};
struct request_placement {
    std::size_t entry = 0;
    friend bool operator==(const request_placement&, const request_placement&) = default;
};
struct open_connection {
    std::string address;
    friend bool operator==(const open_connection&, const open_connection&) = default;
};
// on_connection_end() is not called for a connection that this closes.
struct close_connection {
    friend bool operator==(const close_connection&, const close_connection&) = default;
};
// Run the actions of this state. `address` is that of the node if the system is onboarded.
struct enter_state {
    system_state state = system_state::fresh;
    std::string address;
    friend bool operator==(const enter_state&, const enter_state&) = default;
};
struct stop_permanently {
    friend bool operator==(const stop_permanently&, const stop_permanently&) = default;
};
using agent_effect = std::variant<
    request_status,
    enrol,
    request_placement,
    open_connection,
    close_connection,
    enter_state,
    stop_permanently>;
using agent_effects = std::vector<agent_effect>;

// How a connection ended, or why a node refused the agent.
struct connection_end {
    session::reason why = session::reason::unknown;
    std::string address = {};  // for reason `moved`
    monotonic::duration retry_after{};
};

// State machine of the agent: requests its status, enrols, waits for acceptance, requests its
// placement and stays connected to its node. Starts again after a loss. It stops only if the
// cluster has deleted the system.
//
// Guarantees: at most one request and one connection; a pause before each retry, never shorter than
// a server requested. Enters the state orphan only if no node or another node serves the system,
// so a broken connection does not run the actions of that state.
//
// Pure; not thread-safe. The caller reports the outcome of every request, and calls expire() at
// next_deadline().
class agent_state_machine {
public:
    agent_state_machine(const agent_machine_options& options, prng random);

    [[nodiscard]] agent_effects start(instant now);

    // Response to request_status and enrol; `deleted` can also answer request_placement.
    [[nodiscard]] agent_effects on_state(system_state state, instant now);
    // Responses to request_placement.
    [[nodiscard]] agent_effects on_placement(std::string address, instant now);
    [[nodiscard]] agent_effects on_no_placement(monotonic::duration retry_after, instant now);
    [[nodiscard]] agent_effects on_not_accepted(instant now);
    // No usable response. `retry_after` is zero if the server named none.
    [[nodiscard]] agent_effects on_request_failed(monotonic::duration retry_after, instant now);

    [[nodiscard]] agent_effects on_welcome(instant now);
    [[nodiscard]] agent_effects on_connection_end(const connection_end& end, instant now);
    // The node is fenced; another node may serve the system.
    [[nodiscard]] agent_effects on_node_fenced(instant now);

    [[nodiscard]] agent_effects expire(instant now);
    std::optional<instant> next_deadline() const;

    bool is_stopped() const { return std::holds_alternative<stopped>(state_); }
    bool is_attached() const { return std::holds_alternative<connected>(state_); }

private:
    enum class request { status, enrol, placement };
    struct idle {};
    struct requesting {
        request kind;
    };
    struct connecting {
        std::string address;
    };
    struct connected {
        std::string address;
        instant since;
        bool rechecking = false;  // requested its placement while connected
        instant recheck_after;
    };
    struct waiting {
        instant until;
        std::variant<request, connecting> next;
    };
    struct stopped {};

    agent_effects send_request(request kind);
    agent_effects connect(std::string address);
    agent_effects wait(
        monotonic::duration retry_after, std::variant<request, connecting> next, instant now);
    agent_effects stop();
    agent_effects retry_connection(
        const std::string& address, monotonic::duration pause, instant now);
    agent_effects follow_move(const std::string& from, const connection_end& end, instant now);
    void change_state(agent_effects& out, system_state state, const std::string& address = {});
    monotonic::duration retry_delay(monotonic::duration retry_after);
    monotonic::duration add_jitter(monotonic::duration span);

    agent_machine_options options_;
    prng random_;
    backoff backoff_;
    std::variant<idle, requesting, connecting, connected, waiting, stopped> state_;
    std::size_t entry_ = 0;
    std::optional<instant> last_enrolled_;
    std::optional<system_state> entered_state_;
    std::string node_address_;  // the last node that served this system
    bool tried_node_ = false;
    unsigned moves_ = 0;
};

}  // namespace muster::lifecycle
