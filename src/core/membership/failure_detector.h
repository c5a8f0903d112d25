#pragma once

#include "base/time.h"
#include "core/membership/node_state.h"
#include "core/model/node.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::membership {

struct detector_options {
    monotonic::duration disaster_timeout = std::chrono::seconds(300);
    monotonic::duration probe_interval = std::chrono::seconds(5);
    std::size_t probing_peers = 3;
};

// Ask these serving peers whether they reach the suspect over HTTP.
struct ask_peers {
    node_number suspect;
    std::vector<node_number> peers;
    friend bool operator==(const ask_peers&, const ask_peers&) = default;
};
// Record and announce the node's new state.
struct set_state {
    node_number node;
    node_state to = node_state::serving;
    std::string reason;
    friend bool operator==(const set_state&, const set_state&) = default;
};
// Tell the admins: too many are gone at once for this to be anything but a network fault.
struct raise_hold {
    std::size_t lost = 0;
    std::size_t members = 0;
    friend bool operator==(const raise_hold&, const raise_hold&) = default;
};
struct lift_hold {
    friend bool operator==(const lift_hold&, const lift_hold&) = default;
};
using effect = std::variant<ask_peers, set_state, raise_hold, lift_hold>;
using effects = std::vector<effect>;

// Decides which nodes of one zone are gone for good.
//
// - A node that said it goes down becomes offline and keeps its slots.
// - A node that lost its lease without a word becomes suspect. It is faulty once no lease and no
//   peer's probe showed it for the disaster timeout: a broken path to the driver is not a dead
//   node.
// - While more than half of the zone's members are missing nobody is declared faulty; the clock of
//   the missing ones starts anew when the hold is lifted.
//
// Pure. The caller performs the effects in order and calls expire() no later than next_deadline().
class failure_detector {
public:
    explicit failure_detector(detector_options options) : options_(options) {}

    // Takes up a member in the state the record has of it; a suspect's time starts now.
    void enter(node_number node, node_state state, instant now);
    void leave(node_number node);  // removed or re-pooled by an admin
    // The state it decided on could not be recorded; a suspect's time goes on as it was.
    void take_back(node_number node, node_state state);

    [[nodiscard]] effects goes_down(node_number node, instant now);  // by its own word
    [[nodiscard]] effects lease_lost(node_number node, instant now);
    [[nodiscard]] effects lease_held(node_number node, instant now);
    [[nodiscard]] effects probed(node_number suspect, bool reachable, instant now);
    [[nodiscard]] effects expire(instant now);
    [[nodiscard]] std::optional<instant> next_deadline() const;

    std::optional<node_state> state_of(node_number node) const;
    bool holding() const { return holding_; }

private:
    struct member {
        node_state state = node_state::serving;
        instant seen;        // when a lease or a probe last showed it
        instant next_probe;  // while suspect
    };

    std::size_t missing() const;
    std::size_t expected() const;
    void update_hold(instant now, effects& out);
    std::vector<node_number> peers_of(node_number suspect) const;

    detector_options options_;
    std::map<node_number, member> members_;
    bool holding_ = false;
};

}  // namespace muster::membership
