#pragma once

#include "core/model/event.h"

namespace muster::events {

// Interface: accepts events for the ledger without blocking. The default discards them.
class event_sink {
public:
    event_sink() = default;
    event_sink(const event_sink&) = delete;
    event_sink& operator=(const event_sink&) = delete;
    virtual ~event_sink() = default;

    virtual void post(event_record /*event*/) {}  // from any thread
};

}  // namespace muster::events
