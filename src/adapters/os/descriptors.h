#pragma once

#include <cstddef>

namespace muster::os {

// Raises the soft limit of open files to the hard one: the usual soft limit of 1024 is meant for
// programs that use select(). Returns the limit that now holds.
std::size_t raise_descriptor_limit();

}  // namespace muster::os
