#pragma once

#include "roles/people/audit.h"

namespace muster::gateway {

// What the API writes down of what was done through it.
using people::audit_trail;
using people::deed;

}  // namespace muster::gateway
