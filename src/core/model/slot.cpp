#include "core/model/slot.h"

#include <xxhash.h>

namespace muster {

slot slot::of(const fingerprint& system) {
    const auto& bytes = system.bytes();
    return slot(XXH3_64bits(bytes.data(), bytes.size()) % count);
}

}  // namespace muster
