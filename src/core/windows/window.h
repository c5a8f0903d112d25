#pragma once

#include "base/time.h"

#include <string>

namespace muster::windows {

// A span in which a schedule allows changes to begin: from `opens` up to, but not at, `closes`.
struct window {
    wall_time opens;
    wall_time closes;

    bool is_open(wall_time now) const { return opens <= now && now < closes; }

    friend bool operator==(const window&, const window&) = default;
};

}  // namespace muster::windows
