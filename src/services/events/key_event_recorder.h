#pragma once

#include "ports/clock.h"
#include "services/events/event_sink.h"
#include "services/fleet/key_events.h"

#include <span>

namespace muster::events {

// Records decisions of users and rules about keys as events. Thread-safe.
class key_event_recorder final : public fleet::key_listener {
public:
    key_event_recorder(event_sink& sink, muster::clock& clock) : sink_(sink), clock_(clock) {}

    void keys_changed(
        const fleet::key_event& event, std::span<const system_record> systems) override {
        for (auto& key_event : fleet::build_key_events(event, systems, clock_.wall()))
            sink_.post(std::move(key_event));
    }

private:
    event_sink& sink_;
    muster::clock& clock_;
};

}  // namespace muster::events
