#pragma once

#include "core/model/event.h"

namespace muster::events {

// Takes events for the record without making the caller wait. By itself it forgets them.
class event_sink {
public:
    event_sink() = default;
    event_sink(const event_sink&) = delete;
    event_sink& operator=(const event_sink&) = delete;
    virtual ~event_sink() = default;

    virtual void post(event_record /*event*/) {}  // from any thread
};

}  // namespace muster::events
