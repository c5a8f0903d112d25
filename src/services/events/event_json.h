#pragma once

#include "services/events/event_log.h"
#include "services/events/system_names.h"

#include <boost/json/object.hpp>

namespace muster::events {

// An event as the API and webhooks tell it: `cursor`, `at`, `kind`, `id`, what of `job`, `system`,
// `name`, `node`, `zone` and `by` there is, and `data`. The id is the same whenever and by whomever
// it is told.
boost::json::object event_json(const event_log::item& item, const system_names& names);

}  // namespace muster::events
