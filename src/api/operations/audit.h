#pragma once

#include "services/people/audit.h"

namespace muster::api {

// What the API writes down of what was done through it.
using people::audit_entry;
using people::audit_trail;

}  // namespace muster::api
