#include "core/events/new_event.h"

#include <utility>

namespace muster::events {

event_record new_event(std::string_view kind, std::string id, wall_time at) {
    event_record event;
    event.anchor = at;
    event.at = at;
    event.kind = std::string(kind);
    event.id = std::move(id);
    event.data = "{}";
    return event;
}

}  // namespace muster::events
