#pragma once

#include "api/rest/events_api.h"
#include "api/rest/target_resolver.h"
#include "api/rest/webhooks_api.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/bus_publisher.h"
#include "services/cluster/topology.h"
#include "services/events/event_bus_publisher.h"
#include "services/events/event_log.h"
#include "services/events/event_watcher.h"
#include "services/events/event_writer.h"
#include "services/events/state_event_recorder.h"
#include "services/events/webhook_address_policy.h"
#include "services/events/webhook_dispatcher.h"
#include "services/events/webhook_store.h"
#include "services/fleet/system_cache.h"
#include "services/jobs/job_store.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/task_state_cache.h"
#include "services/presence/presence_cache.h"
#include "services/windows/window_store.h"

#include <functional>
#include <string>

namespace muster::server {

// Where servers and nodes are, also those that are not there now.
std::vector<endpoint> servers_in(const cluster::topology& topology);

// What a server does with events: every one writes them and answers for them; that of the active
// driver also tells what the records of others show, rings on the bus and serves webhooks.
class event_services {
public:
    struct dependencies {
        ledger& records;
        metastore& store;
        cluster::bus_publisher& bell;
        const cluster::topology_cache& topology;
        const fleet::system_cache& systems;
        const presence::presence_cache& seen;
        const windows::window_store& windows;
        jobs::job_store& jobs;
        const jobs::open_job_cache& open_jobs;
        jobs::task_state_cache& board;
        clock& time;
        runtime::logger& log;
        events::webhook_address_policy::options webhooks;
        std::filesystem::path authorities;  // of webhooks that name none
    };

    explicit event_services(const dependencies& deps);
    event_services(const event_services&) = delete;
    event_services& operator=(const event_services&) = delete;

    result<void> declare(api::registry& to);
    void export_to(runtime::metrics& where) const;

    void begin(runtime::task_group& work);
    // What the server of the active driver does besides.
    void begin_driving(runtime::task_group& work, std::function<bool()> active);
    // Brings on record what waits for it: at a planned stop.
    async<void> finish() { return writer_.flush(); }

    events::event_log& log() { return log_; }
    events::event_writer& writer() { return writer_; }

private:
    api::target_resolver targets_;
    events::event_log log_;
    events::event_watcher tail_;
    events::event_writer writer_;
    events::webhook_address_policy gate_;
    events::webhook_store webhooks_;
    events::state_event_recorder notary_;
    events::event_bus_publisher ringer_;
    events::webhook_dispatcher courier_;
    api::events_api events_api_;
    api::webhooks_api webhooks_api_;
};

}  // namespace muster::server
