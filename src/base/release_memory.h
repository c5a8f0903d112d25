#pragma once

#include <string>

namespace muster {

// Empties a buffer and frees its memory. Assigning an empty string does not: a short text is copied
// into the memory that is there, which then stays for as long as the buffer lives.
inline void release_memory(std::string& buffer) {
    std::string().swap(buffer);
}

}  // namespace muster
