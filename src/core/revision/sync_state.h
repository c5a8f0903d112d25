#pragma once

#include "base/time.h"
#include "core/revision/section.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::revision {

// State of a server relative to the newest revision.
enum class sync_state {
    current,
    behind,   // differs, but within the grace period
    drifted,  // differs after the grace period
    away,
    unknown,  // has not reported yet
};

std::string_view to_string(sync_state state);

// Digests that a server reports. Sections that it does not follow are missing.
struct held_digests {
    revision::digests digests;
    wall_time since;  // when it began to hold these

    friend bool operator==(const held_digests&, const held_digests&) = default;
};

// The sections whose held digest differs from the published one, in order.
std::vector<std::string> differing_sections(const digests& published, const digests& held);

struct sync_context {
    wall_time published;  // time of the newest revision
    wall_time now;
    std::chrono::seconds grace;
    bool online = true;  // whether the server is online
};
sync_state find_sync_state(
    const digests& published, const std::optional<held_digests>& held, const sync_context& context);

}  // namespace muster::revision
