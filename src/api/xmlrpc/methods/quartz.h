#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

// Cron expressions of the compatible API: seconds first, days of the week from 1 (Sunday), `?` for
// an unspecified day, `5/15` for "from 5 on", and an optional year.
namespace muster::xmlrpc_api {

// Converts to the syntax of core/schedules/cron.h. errc::invalid names a field that cron cannot
// express: seconds, years, last days, nth days of the week. Five fields are returned unchanged.
result<std::string> quartz_to_cron(std::string_view text);

std::string cron_to_quartz(std::string_view cron);

}  // namespace muster::xmlrpc_api
