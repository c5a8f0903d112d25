#pragma once

#include "ports/clock.h"
#include "services/events/event_sink.h"
#include "services/fleet/key_events.h"

#include <span>

namespace muster::events {

// Records as events what people and rules decided about keys.
class key_event_recorder final : public fleet::key_listener {
public:
    key_event_recorder(event_sink& sink, muster::clock& clock) : sink_(sink), clock_(clock) {}

    void keys_changed(
        const fleet::key_event& event, std::span<const system_record> systems) override {
        for (auto& notice : fleet::notices_of(event, systems, clock_.wall()))
            sink_.post(std::move(notice));
    }

private:
    event_sink& sink_;
    muster::clock& clock_;
};

}  // namespace muster::events
