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

// Records events for changes in other services: node states, changed calendars, overrun maintenance
// windows. After a crash the next recorder reads the same records and writes the same events, which
// has no effect: no event is lost or duplicated. Of several quick changes it records the last.
//
// Runs on the server of the active driver. Not thread-safe; call from one strand.
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
        // A new recorder also records changes of this time: longer than a change of the driver.
        std::chrono::hours look_back{24};
        std::chrono::hours overruns_look_back{1};
    };

    state_event_recorder(dependencies deps, options options) : deps_(deps), options_(options) {}

    // Runs until it is cancelled. Pauses while `active` is false.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // Checks all records once.
    async<void> run_once();

private:
    // Writes those events that are not in `recorded`, and updates `recorded`.
    async<void> record_new(std::vector<event_record> events, std::set<std::string>& recorded);
    async<void> find_overruns();
    async<bool> check_job(std::shared_ptr<const jobs::open_job> job);
    async<void> check_group(
        job_id job, std::string schedule, fleet::system_set running, std::set<wall_time> closed);
    async<std::set<wall_time>> record_overruns(
        job_id job, std::string schedule, std::size_t count, std::vector<jobs::stored_task> tasks);
    void reset();

    dependencies deps_;
    options options_;
    std::shared_ptr<const cluster::topology> seen_topology_;
    std::shared_ptr<const windows::window_snapshot> seen_windows_;
    std::set<std::string> recorded_node_events_;
    std::set<std::string> recorded_window_events_;
    windows::overrun_detector overruns_;
    wall_time overruns_checked_{};  // windows that closed before were checked
};

}  // namespace muster::events
