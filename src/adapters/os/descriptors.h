#pragma once

#include <cstddef>

namespace muster::os {

// Raises the soft limit of open files to the hard one: the usual soft limit of 1024 is meant for
// programs that use select(). Returns the limit that now holds.
std::size_t raise_descriptor_limit();

// What this process executes from now on, itself or in a child, inherits none of the descriptors
// that are open now but standard input, output and error. Libraries open some without
// close-on-exec: Asio its sockets, for instance.
void close_descriptors_on_exec();

}  // namespace muster::os
