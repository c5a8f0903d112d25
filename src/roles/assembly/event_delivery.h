#pragma once

#include "roles/assembly/management_services.h"
#include "services/events/event_bus_publisher.h"
#include "services/events/state_event_recorder.h"
#include "services/events/webhook_dispatcher.h"

#include <atomic>
#include <filesystem>

namespace muster::roles {

// Records events of state changes and delivers events to the bus and to webhooks. Runs on every
// driver; works while `active` is true.
class event_delivery {
public:
    // `authorities`: CA certificates for receivers of webhooks that name none.
    event_delivery(management_services& management, std::filesystem::path authorities);

    void start(runtime::task_group& loops, const std::atomic<bool>& active);
    void export_metrics(runtime::metrics& metrics) const { webhooks_.export_to(metrics); }

private:
    events::state_event_recorder recorder_;
    events::event_bus_publisher publisher_;
    events::webhook_dispatcher webhooks_;
};

}  // namespace muster::roles
