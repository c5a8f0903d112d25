#pragma once

#include <cstddef>

namespace muster::os {

// Raises the soft limit of open files to the hard limit: the usual 1024 is meant for programs that
// use select(). Returns the new limit.
std::size_t raise_descriptor_limit();

// Marks all open descriptors except standard input, output and error as close-on-exec. Libraries
// such as Asio open descriptors without that flag.
void close_descriptors_on_exec();

}  // namespace muster::os
