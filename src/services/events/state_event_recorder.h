#pragma once

#include "core/windows/overrun.h"
#include "runtime/log.h"
#include "services/cluster/topology.h"
#include "services/events/event_log.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/task_state_cache.h"
#include "services/windows/window_store.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace muster::events {

// Tells what can be seen in the records of others: nodes' states, calendars that changed, windows
// that work overran. A state event recorder that dies is followed by one that looks at the same
// records and tells the same events again, which changes nothing: so none is lost and none is told
// twice. Of changes that follow each other faster than it looks it tells the last.
//
// Works on one server at a time, that of the active driver. Lives on one strand.
class state_event_recorder {
public:
    struct dependencies {
        event_log& events;
        const cluster::topology_cache& topology;
        const windows::window_store& windows;
        jobs::job_store& job_store;
        const jobs::open_job_cache& jobs;
        jobs::task_state_cache& task_states;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        monotonic::duration interval = std::chrono::seconds(1);
        // A new notary looks back so far: longer than it takes until there is one.
        std::chrono::hours look_back{24};
        std::chrono::hours overruns_look_back{1};
    };

    state_event_recorder(dependencies deps, options options) : deps_(deps), options_(options) {}

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // One look at everything.
    async<void> look();

private:
    async<void> tell(std::vector<event_record> current, std::set<std::string>& responses);
    async<void> look_for_overruns();
    async<bool> look_at_job(std::shared_ptr<const jobs::open_job> job);
    async<void> look_at_group(
        job_id job, std::string schedule, fleet::system_set running, std::set<wall_time> closed);
    async<std::set<wall_time>> tell_overruns(
        job_id job, std::string schedule, std::size_t count, std::vector<jobs::stored_task> tasks);
    void forget();

    dependencies deps_;
    options options_;
    std::shared_ptr<const cluster::topology> seen_topology_;
    std::shared_ptr<const windows::window_snapshot> seen_windows_;
    std::set<std::string> told_of_nodes_;
    std::set<std::string> told_of_windows_;
    windows::overrun_watch overruns_;
    wall_time overruns_looked_at_{};  // windows that closed until then were looked at
};

}  // namespace muster::events
