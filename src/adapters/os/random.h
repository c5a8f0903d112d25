#pragma once

#include <cstddef>
#include <string>

namespace muster::os {

// Unpredictable bytes from the kernel, for keys, tokens and passwords.
std::string random_bytes(std::size_t count);

// A password people can type: five groups of letters and digits without look-alikes, 115 bits.
std::string random_password();

}  // namespace muster::os
