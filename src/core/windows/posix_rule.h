#pragma once

#include "core/windows/time_zone.h"

#include <string_view>
#include <vector>

namespace muster::windows {

// The changes a rule such as "CET-1CEST,M3.5.0,M10.5.0/3" (POSIX.1, TZ) makes from the beginning of
// `first` to the horizon. None when it is without summer time. errc::corrupt when it is no rule.
result<std::vector<time_zone::change>> changes_of_posix_rule(
    std::string_view rule, std::chrono::year first);

}  // namespace muster::windows
