#pragma once

#include <optional>
#include <string_view>

namespace muster::membership {

// The state of a node in its zone.
enum class node_state {
    pooled,   // joined, waits for an operator
    staged,   // wiped and ready to serve
    serving,  // holds its lease and its slots
    offline,  // announced its shutdown; keeps its slots until it is back (recovery mode)
    suspect,  // lost its lease unannounced; peers probe it
    faulty,   // failed: its slots were reassigned; it must be onboarded again
};

std::string_view to_string(node_state state);
std::optional<node_state> parse_node_state(std::string_view text);

// Whether a node in this state owns the slots that the slot table assigns to it. Pooled, staged and
// faulty nodes own none, whatever the table says.
bool is_member(node_state state);

// Whether an operator or the driver may change a node from one state to the other.
bool can_transition(node_state from, node_state to);

}  // namespace muster::membership
