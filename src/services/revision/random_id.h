#pragma once

#include <functional>
#include <string>

namespace muster::revision {

// Makes the ids of sessions, drafts and claims: no two are alike.
using namer = std::function<std::string()>;

// Sixteen hexadecimal digits that nobody can guess.
std::string random_name();

}  // namespace muster::revision
