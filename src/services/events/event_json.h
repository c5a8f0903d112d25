#pragma once

#include "services/events/event_log.h"
#include "services/events/system_names.h"

#include <boost/json/object.hpp>

namespace muster::events {

// Builds the JSON form of an event for the API and webhooks: `cursor`, `at`, `kind`, `id` and
// `data`, and if set `job`, `system`, `name`, `node`, `zone` and `by`. The id never changes.
boost::json::object event_json(const event_log::item& item, const system_names& names);

}  // namespace muster::events
