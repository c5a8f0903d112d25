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

// Ask these nodes whether they reach the suspect over HTTP.
struct ask_peers {
    node_number suspect;
    std::vector<node_number> peers;
    friend bool operator==(const ask_peers&, const ask_peers&) = default;
};
// Record and publish the new state of the node.
struct set_state {
    node_number node;
    node_state state = node_state::serving;
    std::string reason;
    friend bool operator==(const set_state&, const set_state&) = default;
};
// Alert the operators: so many nodes are missing that a network fault is likely.
struct freeze_zone {
    std::size_t missing = 0;
    std::size_t members = 0;
    friend bool operator==(const freeze_zone&, const freeze_zone&) = default;
};
struct unfreeze_zone {
    friend bool operator==(const unfreeze_zone&, const unfreeze_zone&) = default;
};
using effect = std::variant<ask_peers, set_state, freeze_zone, unfreeze_zone>;
using effects = std::vector<effect>;

// Decides which nodes of one zone have failed.
//
// - A node that announced its shutdown becomes offline and keeps its slots.
// - A node that lost its lease unannounced becomes suspect. It becomes faulty when neither lease
// nor
//   peer probe has shown it for the disaster timeout. Probes matter because only the path to the
//   driver may be broken.
// - While more than half of the members are missing, the zone is frozen and no node becomes faulty.
//   Afterwards the timeouts of the missing nodes start again.
//
// Pure; not thread-safe. The caller executes the effects in order and calls expire() no later than
// next_deadline().
class failure_detector {
public:
    explicit failure_detector(detector_options options) : options_(options) {}

    // Adds a member in its recorded state; the timeout of a suspect starts now.
    void add_member(node_number node, node_state state, instant now);
    void remove_member(node_number node);  // removed by an operator
    // The new state could not be recorded; the timeout of a suspect is unchanged.
    void restore_state(node_number node, node_state state);

    [[nodiscard]] effects on_shutdown(node_number node, instant now);  // announced by the node
    [[nodiscard]] effects on_lease_lost(node_number node, instant now);
    [[nodiscard]] effects on_lease_held(node_number node, instant now);
    [[nodiscard]] effects on_probe_result(node_number suspect, bool reachable, instant now);
    [[nodiscard]] effects expire(instant now);
    [[nodiscard]] std::optional<instant> next_deadline() const;

    std::optional<node_state> state_of(node_number node) const;
    bool is_frozen() const { return frozen_; }

private:
    struct member {
        node_state state = node_state::serving;
        instant last_seen;   // by lease or probe
        instant next_probe;  // while suspect
    };

    std::size_t missing() const;
    std::size_t expected() const;
    void update_freeze(instant now, effects& out);
    std::vector<node_number> peers_of(node_number suspect) const;

    detector_options options_;
    std::map<node_number, member> members_;
    bool frozen_ = false;
};

}  // namespace muster::membership
