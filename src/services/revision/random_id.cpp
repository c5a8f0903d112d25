#include "services/revision/random_id.h"

#include "adapters/os/random.h"
#include "base/hex.h"

#include <cstddef>

namespace muster::revision {
namespace {

constexpr std::size_t name_bytes = 8;

}  // namespace

std::string random_id() {
    return to_hex(os::random_bytes(name_bytes));
}

}  // namespace muster::revision
