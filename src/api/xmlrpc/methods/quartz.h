#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

// Cron expressions as clients of the compatible API write them: seconds first, days of the week
// from 1 (Sunday), `?` for a day that is not given, `5/15` for "from 5 on", perhaps a year.
namespace muster::xmlrpc_api {

// As core/schedules/cron.h reads it. What that cannot say (seconds, years, last days, nth days of
// the week) is errc::invalid with the field; what else is wrong its own reader tells. Five fields
// are taken as they are.
result<std::string> cron_of_quartz(std::string_view text);

std::string quartz_of_cron(std::string_view cron);

}  // namespace muster::xmlrpc_api
