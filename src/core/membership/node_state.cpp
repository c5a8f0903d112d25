#include "core/membership/node_state.h"

#include "base/assert.h"

namespace muster::membership {

std::string_view to_string(node_state state) {
    switch (state) {
        case node_state::pooled:
            return "pooled";
        case node_state::staged:
            return "staged";
        case node_state::serving:
            return "serving";
        case node_state::offline:
            return "offline";
        case node_state::suspect:
            return "suspect";
        case node_state::faulty:
            return "faulty";
    }
    MUSTER_ASSERT(false);
}

std::optional<node_state> parse_node_state(std::string_view text) {
    for (const auto state :
         {node_state::pooled,
          node_state::staged,
          node_state::serving,
          node_state::offline,
          node_state::suspect,
          node_state::faulty})
        if (to_string(state) == text) return state;
    return std::nullopt;
}

bool is_member(node_state state) {
    return state == node_state::serving || state == node_state::offline
           || state == node_state::suspect;
}

bool can_transition(node_state from, node_state to) {
    switch (from) {
        case node_state::pooled:
            return to == node_state::staged;
        case node_state::staged:
            return to == node_state::serving || to == node_state::pooled;
        case node_state::serving:
            return to == node_state::offline || to == node_state::suspect;
        case node_state::offline:
            return to == node_state::serving || to == node_state::faulty;
        case node_state::suspect:
            return to == node_state::serving || to == node_state::offline
                   || to == node_state::faulty;
        case node_state::faulty:
            return to == node_state::pooled;
    }
    MUSTER_ASSERT(false);
}

}  // namespace muster::membership
