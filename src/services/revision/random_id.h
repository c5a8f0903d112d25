#pragma once

#include <functional>
#include <string>

namespace muster::revision {

// Creates unique ids of sessions, drafts and claims.
using id_generator = std::function<std::string()>;

// Returns sixteen unpredictable hexadecimal digits.
std::string random_id();

}  // namespace muster::revision
