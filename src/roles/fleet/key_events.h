#pragma once

#include "core/model/system.h"
#include "roles/cluster/announcer.h"

#include <span>
#include <string>
#include <string_view>

namespace muster::fleet {

// Tells the bus what became of keys: `muster.key.accepted` and so on, many systems a message.
struct key_event {
    std::string_view
        what;        // pooled, accepted, rejected, deleted, evicted, moved, unregistered, labelled
    std::string by;  // a user, "rule NAME", or empty
};

void announce(
    cluster::announcer& bell, const key_event& happened, std::span<const system_record> systems);

}  // namespace muster::fleet
