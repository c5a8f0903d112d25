#pragma once

#include "services/people/audit.h"

namespace muster::api {

// Audit trail of API calls.
using people::audit_entry;
using people::audit_trail;

}  // namespace muster::api
