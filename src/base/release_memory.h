#pragma once

#include <string>

namespace muster {

// Empties a buffer and frees its memory. Assigning an empty string does not free it: a short text
// is copied into the existing memory.
inline void release_memory(std::string& buffer) {
    std::string().swap(buffer);
}

}  // namespace muster
