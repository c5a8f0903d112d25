#pragma once

#include "base/time.h"
#include "roles/gateway/call.h"

namespace muster::gateway {

// 429 with Retry-After: there were too many wrong passwords.
reply retry_later(monotonic::duration wait);

}  // namespace muster::gateway
