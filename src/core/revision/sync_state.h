#pragma once

#include "base/time.h"
#include "core/revision/section.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::revision {

// How a server stands to the newest revision.
enum class sync_state {
    current,
    behind,   // it differs, and has not had the time to follow
    drifted,  // it differs, and should not
    away,
    unknown,  // it has not said yet
};

std::string_view to_string(sync_state what);

// What a server says it holds. Sections that it does not follow are not among it.
struct held_digests {
    digests of;
    wall_time since;  // it holds just this

    friend bool operator==(const held_digests&, const held_digests&) = default;
};

// The sections that it holds otherwise than they are published, in order.
std::vector<std::string> differing(const digests& published, const digests& held);

struct judged {
    wall_time published;  // when the newest revision was
    wall_time now;
    std::chrono::seconds grace;
    bool there = true;  // whether the server is
};
sync_state judge(
    const digests& published, const std::optional<held_digests>& held, const judged& when);

}  // namespace muster::revision
