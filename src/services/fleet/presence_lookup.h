#pragma once

#include "core/model/system.h"

#include <functional>
#include <string>

namespace muster::fleet {

// What is known of a system beside its record; without it, nobody is attached anywhere.
struct presence_lookup {
    std::function<bool(system_number)> attached = nullptr;
    // The name of the node it is or was attached to; empty: none.
    std::function<std::string(system_number)> node = nullptr;
};

}  // namespace muster::fleet
