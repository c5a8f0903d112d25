#pragma once

#include "core/windows/time_zone.h"

#include <string_view>
#include <vector>

namespace muster::windows {

// The offset changes of a rule such as "CET-1CEST,M3.5.0,M10.5.0/3" (POSIX.1, TZ) from the begin of
// `first_year` to the horizon. Empty without summer time. errc::corrupt when the rule is invalid.
result<std::vector<time_zone::change>> expand_posix_rule(
    std::string_view rule, std::chrono::year first_year);

}  // namespace muster::windows
