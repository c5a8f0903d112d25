#pragma once

#include "roles/cluster/announcer.h"
#include "roles/cluster/topology.h"
#include "roles/events/courier.h"
#include "roles/events/event_log.h"
#include "roles/events/event_tail.h"
#include "roles/events/event_writer.h"
#include "roles/events/notary.h"
#include "roles/events/ringer.h"
#include "roles/events/webhook_book.h"
#include "roles/events/webhook_gate.h"
#include "roles/fleet/fleet.h"
#include "roles/gateway/events_api.h"
#include "roles/gateway/job_targets.h"
#include "roles/gateway/webhooks_api.h"
#include "roles/jobs/job_book.h"
#include "roles/jobs/job_ledger.h"
#include "roles/jobs/task_board.h"
#include "roles/presence/presence.h"
#include "roles/windows/window_book.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"

#include <functional>
#include <string>

namespace muster::server {

// Where servers and nodes are, also those that are not there now.
std::vector<endpoint> servers_in(const cluster::topology& known);

// What a server does with events: every one writes them and answers for them; that of the active
// driver also tells what the records of others show, rings on the bus and serves webhooks.
class events_front {
public:
    struct surroundings {
        ledger& records;
        metastore& store;
        cluster::announcer& bell;
        const cluster::topology_cell& topology;
        const fleet::fleet& systems;
        const presence::presence& seen;
        const windows::window_book& windows;
        jobs::job_ledger& jobs;
        const jobs::job_book& open_jobs;
        jobs::task_board& board;
        clock& time;
        runtime::logger& log;
        events::webhook_gate::options webhooks;
        std::filesystem::path authorities;  // of webhooks that name none
    };

    explicit events_front(const surroundings& around);
    events_front(const events_front&) = delete;
    events_front& operator=(const events_front&) = delete;

    result<void> declare(gateway::registry& to);
    void export_to(runtime::metrics& where) const;

    void begin(runtime::task_group& work);
    // What the server of the active driver does besides.
    void begin_driving(runtime::task_group& work, std::function<bool()> active);
    // Brings on record what waits for it: at a planned stop.
    async<void> finish() { return writer_.flush(); }

    events::event_log& log() { return log_; }
    events::event_writer& writer() { return writer_; }

private:
    gateway::job_targets targets_;
    events::event_log log_;
    events::event_tail tail_;
    events::event_writer writer_;
    events::webhook_gate gate_;
    events::webhook_book webhooks_;
    events::notary notary_;
    events::ringer ringer_;
    events::courier courier_;
    gateway::events_api events_api_;
    gateway::webhooks_api webhooks_api_;
};

}  // namespace muster::server
