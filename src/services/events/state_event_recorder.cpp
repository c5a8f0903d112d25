#include "services/events/state_event_recorder.h"

#include "services/events/event_builders.h"

#include <algorithm>
#include <utility>

namespace muster::events {
namespace {

constexpr std::size_t page_rows = 1'000;  // running tasks per read
constexpr std::size_t windows_max = 16;
constexpr std::size_t batch_max = 500;

std::string event_key(const event_record& event) {
    return event.id + "@" + std::to_string(event.anchor.time_since_epoch().count());
}

}  // namespace

void state_event_recorder::reset() {
    seen_topology_.reset();
    seen_windows_.reset();
    recorded_node_events_.clear();
    recorded_window_events_.clear();
    overruns_checked_ = {};
}

// Remembers only the keys of the current events: outdated events do not come again.
async<void> state_event_recorder::record_new(
    std::vector<event_record> events, std::set<std::string>& recorded) {
    std::set<std::string> keys;
    std::vector<event_record> new_events;
    for (auto& event : events) {
        auto key = event_key(event);
        if (!recorded.contains(key)) new_events.push_back(std::move(event));
        keys.insert(std::move(key));
    }
    for (std::size_t index = 0; index < new_events.size(); index += batch_max) {
        const auto first = new_events.begin() + static_cast<std::ptrdiff_t>(index);
        const auto count = std::min(batch_max, new_events.size() - index);
        std::vector<event_record> batch(first, first + static_cast<std::ptrdiff_t>(count));
        CO_CHECK_OK(co_await deps_.events.write(std::move(batch)));
    }
    recorded = std::move(keys);
    co_return result<void>();
}

async<void> state_event_recorder::run_once() {
    const auto since = deps_.clock.wall() - options_.look_back;
    if (const auto topology = deps_.topology.read(); topology != seen_topology_) {
        CO_CHECK_OK(
            co_await record_new(build_node_events(*topology, since), recorded_node_events_));
        seen_topology_ = topology;
    }
    if (const auto windows = deps_.windows.current(); windows && windows != seen_windows_) {
        CO_CHECK_OK(
            co_await record_new(build_window_events(*windows, since), recorded_window_events_));
        seen_windows_ = windows;
    }
    co_return co_await find_overruns();
}

async<void> state_event_recorder::find_overruns() {
    const auto now = deps_.clock.wall();
    if (!deps_.windows.current()) co_return result<void>();
    overruns_checked_ = std::max(overruns_checked_, now - options_.overruns_look_back);
    bool all_checked = true;
    for (const auto& job : deps_.jobs.all()) {
        if (!respects_windows(job->record.spec)) continue;
        CO_TRY(const bool checked, co_await check_job(job));
        all_checked = all_checked && checked;
    }
    if (all_checked) overruns_checked_ = now;
    co_return result<void>();
}

// False: the tasks are not cached yet; the job supervisor loads them soon.
async<bool> state_event_recorder::check_job(std::shared_ptr<const jobs::open_job> job) {
    const auto states = deps_.task_states.peek(job->record.job);
    const auto snapshot = deps_.windows.current();
    if (!states) co_return false;
    const auto running = states->sets.members(task_state::picked_up, job->record.stage);
    if (running.empty()) co_return true;
    for (auto& [schedule, members] : snapshot->group_by_schedule(running)) {
        if (schedule.empty()) continue;
        const auto windows = snapshot->windows_of(schedule).windows_between(
            overruns_checked_, deps_.clock.wall(), windows_max);
        // The calendar is too dense to evaluate: skip its overruns.
        if (!windows) continue;
        std::set<wall_time> closed;
        for (const auto& window : *windows)
            if (window.closes > overruns_checked_ && window.closes < deps_.clock.wall())
                closed.insert(window.closes);
        if (closed.empty()) continue;
        CO_CHECK_OK(co_await check_group(job->record.job, schedule, members, closed));
    }
    co_return true;
}

// Reads running tasks page by page until each closed window has one overrun.
async<void> state_event_recorder::check_group(
    job_id job, std::string schedule, fleet::system_set running, std::set<wall_time> closed) {
    for (system_number next(0); !closed.empty();) {
        const auto systems = running.page(next, page_rows);
        if (systems.empty()) break;
        next = systems.back().next();
        jobs::job_store::task_filter filter{.job = job, .states = {task_state::picked_up}};
        for (const auto system : systems) filter.systems.push_back(system.value());
        CO_TRY(auto page, co_await deps_.job_store.read_tasks(std::move(filter), {}, page_rows));
        const auto overrun_closes =
            co_await record_overruns(job, schedule, running.size(), std::move(page.tasks));
        if (!overrun_closes) co_return fail(overrun_closes.error());
        for (const auto closes : *overrun_closes) closed.erase(closes);
    }
    co_return result<void>();
}

// Records the windows in which running tasks began. Returns when those windows closed.
async<std::set<wall_time>> state_event_recorder::record_overruns(
    job_id job, std::string schedule, std::size_t count, std::vector<jobs::stored_task> tasks) {
    std::set<wall_time> closed;
    const auto schedule_windows = deps_.windows.current()->windows_of(schedule);
    for (const auto& task : tasks) {
        if (!task.record.picked_up) continue;
        const auto window = schedule_windows.open_at(*task.record.picked_up);
        if (!window || !*window) continue;
        closed.insert((*window)->closes);
        const auto overrun =
            overruns_.observe(schedule, **window, to_string(job), deps_.clock.wall());
        if (!overrun) continue;
        std::vector<event_record> events{build_overrun_event(*overrun, count)};
        const auto written = co_await deps_.events.write(std::move(events));
        if (!written) overruns_ = {};  // a repeated write yields the same event
        if (!written) co_return fail(written.error());
        deps_.log.warning(
            "job still running after its maintenance window",
            {{"schedule", schedule}, {"job", to_string(job)}, {"systems", count}});
    }
    co_return closed;
}

boost::asio::awaitable<void> state_event_recorder::run(const std::atomic<bool>& active) {
    bool healthy = true;
    while (true) {
        if (active) {
            const auto outcome = co_await run_once();
            if (!outcome && outcome.error().code() == errc::cancelled) co_return;
            if (!outcome && std::exchange(healthy, false))
                deps_.log.warning(
                    "event recording failed", {{"error", to_string(outcome.error())}});
            if (outcome) healthy = true;
        } else {
            reset();
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::events
