#pragma once

#include "base/result.h"

#include <string>

namespace muster::cli {

// Which deeds of the audit trail are asked for; what is empty is not asked.
struct audit_query {
    std::string who;
    std::string what;
    std::string from;  // "2026-11-16T08:00:00Z", or a day, which is its first moment in UTC
    std::string to;
    std::string system = {};  // that it is about, and no other
    bool oldest_first = false;
};

// Where the API answers it. errc::invalid names the flag that is no moment.
result<std::string> audit_path(const audit_query& audit_query);

}  // namespace muster::cli
