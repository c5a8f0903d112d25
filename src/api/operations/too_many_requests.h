#pragma once

#include "api/operations/call.h"
#include "base/time.h"

namespace muster::api {

// 429 with Retry-After: there were too many wrong passwords.
reply too_many_wrong_passwords(monotonic::duration wait);

}  // namespace muster::api
