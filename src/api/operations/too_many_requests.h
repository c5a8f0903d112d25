#pragma once

#include "api/operations/call.h"
#include "base/time.h"

namespace muster::api {

// 429 with Retry-After: there were too many wrong passwords.
reply retry_later(monotonic::duration wait);

}  // namespace muster::api
