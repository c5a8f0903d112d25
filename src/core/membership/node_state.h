#pragma once

#include <optional>
#include <string_view>

namespace muster::membership {

// The life of a node in its zone.
enum class node_state {
    pooled,   // knocked, not yet looked at by an admin
    staged,   // wiped and ready to be taken in
    serving,  // holds its lease and its slots
    offline,  // said it goes down: keeps its slots until it is back (recovery mode)
    suspect,  // lost its lease without a word; peers are asked whether it is there
    faulty,   // gone for good: its slots were given away; only onboarding brings it back
};

std::string_view to_string(node_state state);
std::optional<node_state> parse_node_state(std::string_view text);

// Whether a node in this state belongs to its zone: the slots that the table gives it are its own.
// One that was given up, or was not yet taken in (again), acts for nobody, whatever a table says.
bool is_member(node_state state);

// Whether an admin or the driver may bring a node from one state to the other.
bool may_become(node_state from, node_state to);

}  // namespace muster::membership
