#pragma once

#include "services/people/audit.h"

namespace muster::api {

// What the API writes down of what was done through it.
using people::audit_trail;
using people::deed;

}  // namespace muster::api
