#pragma once

#include "base/time.h"
#include "core/model/event.h"

#include <string>
#include <string_view>

namespace muster::events {

// An event without data. The same id is the same event on all servers.
event_record new_event(std::string_view kind, std::string id, wall_time at);

}  // namespace muster::events
