#pragma once

#include "base/result.h"

#include <string>

namespace muster::cli {

// Filters of the audit trail; empty members do not filter.
struct audit_query {
    std::string user;
    std::string operation;
    std::string from;  // "2026-11-16T08:00:00Z", or a day, which begins at 00:00 UTC
    std::string to;
    std::string system = {};  // only entries about this system alone
    bool oldest_first = false;
};

// The API path of the query. errc::invalid names the flag with an invalid time.
result<std::string> audit_path(const audit_query& query);

}  // namespace muster::cli
