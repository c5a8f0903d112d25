#pragma once

#include "roles/assembly/management_services.h"
#include "services/events/event_bus_publisher.h"
#include "services/events/state_event_recorder.h"
#include "services/events/webhook_dispatcher.h"

#include <atomic>
#include <filesystem>

namespace muster::roles {

// Records what the states of others show as events, and brings events to whoever wants them: the
// bus and webhooks. Runs on every driver, and works while `active` is true.
class event_delivery {
public:
    // `authorities`: the certificates that receivers are trusted by if a webhook names none.
    event_delivery(management_services& management, std::filesystem::path authorities);

    void start(runtime::task_group& loops, const std::atomic<bool>& active);
    void export_metrics(runtime::metrics& to) const { webhooks_.export_to(to); }

private:
    events::state_event_recorder recorder_;
    events::event_bus_publisher publisher_;
    events::webhook_dispatcher webhooks_;
};

}  // namespace muster::roles
