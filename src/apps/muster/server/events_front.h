#pragma once

#include "services/cluster/announcer.h"
#include "services/cluster/topology.h"
#include "services/events/courier.h"
#include "services/events/event_log.h"
#include "services/events/event_tail.h"
#include "services/events/event_writer.h"
#include "services/events/notary.h"
#include "services/events/ringer.h"
#include "services/events/webhook_book.h"
#include "services/events/webhook_gate.h"
#include "services/fleet/fleet.h"
#include "api/rest/events_api.h"
#include "api/rest/job_targets.h"
#include "api/rest/webhooks_api.h"
#include "services/jobs/job_book.h"
#include "services/jobs/job_ledger.h"
#include "services/jobs/task_board.h"
#include "services/presence/presence.h"
#include "services/windows/window_book.h"
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
    api::job_targets targets_;
    events::event_log log_;
    events::event_tail tail_;
    events::event_writer writer_;
    events::webhook_gate gate_;
    events::webhook_book webhooks_;
    events::notary notary_;
    events::ringer ringer_;
    events::courier courier_;
    api::events_api events_api_;
    api::webhooks_api webhooks_api_;
};

}  // namespace muster::server
