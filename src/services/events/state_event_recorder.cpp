#include "services/events/state_event_recorder.h"

#include "services/events/event_builders.h"

#include <algorithm>
#include <utility>

namespace muster::events {
namespace {

constexpr std::size_t page_rows = 1'000;  // running tasks that are looked at at once
constexpr std::size_t windows_looked_at = 16;
constexpr std::size_t batch_max = 500;

std::string name_of(const event_record& event) {
    return event.id + "@" + std::to_string(event.anchor.time_since_epoch().count());
}

}  // namespace

void state_event_recorder::forget() {
    seen_topology_.reset();
    seen_windows_.reset();
    told_of_nodes_.clear();
    told_of_windows_.clear();
    overruns_looked_at_ = {};
}

// What was told and is still so is not told again; what is no longer so need not be remembered.
async<void> state_event_recorder::tell(
    std::vector<event_record> current, std::set<std::string>& responses) {
    std::set<std::string> names;
    std::vector<event_record> fresh;
    for (auto& each : current) {
        auto name = name_of(each);
        if (!responses.contains(name)) fresh.push_back(std::move(each));
        names.insert(std::move(name));
    }
    for (std::size_t at = 0; at < fresh.size(); at += batch_max) {
        const auto first = fresh.begin() + static_cast<std::ptrdiff_t>(at);
        const auto count = std::min(batch_max, fresh.size() - at);
        std::vector<event_record> batch(first, first + static_cast<std::ptrdiff_t>(count));
        CO_CHECK_OK(co_await deps_.events.write(std::move(batch)));
    }
    responses = std::move(names);
    co_return result<void>();
}

async<void> state_event_recorder::look() {
    const auto since = deps_.clock.wall() - options_.look_back;
    if (const auto topology = deps_.topology.read(); topology != seen_topology_) {
        CO_CHECK_OK(co_await tell(node_notices(*topology, since), told_of_nodes_));
        seen_topology_ = topology;
    }
    if (const auto deps = deps_.windows.current(); deps && deps != seen_windows_) {
        CO_CHECK_OK(co_await tell(window_notices(*deps, since), told_of_windows_));
        seen_windows_ = deps;
    }
    co_return co_await look_for_overruns();
}

async<void> state_event_recorder::look_for_overruns() {
    const auto now = deps_.clock.wall();
    if (!deps_.windows.current()) co_return result<void>();
    overruns_looked_at_ = std::max(overruns_looked_at_, now - options_.overruns_look_back);
    bool all_seen = true;
    for (const auto& each : deps_.jobs.all()) {
        if (!heeds_windows(each->record.spec)) continue;
        CO_TRY(const bool observed, co_await look_at_job(each));
        all_seen = all_seen && observed;
    }
    if (all_seen) overruns_looked_at_ = now;
    co_return result<void>();
}

// False: its tasks are not in memory yet; whoever sees jobs through reads them in a moment.
async<bool> state_event_recorder::look_at_job(std::shared_ptr<const jobs::open_job> job) {
    const auto board = deps_.task_states.peek(job->record.job);
    const auto view = deps_.windows.current();
    if (!board) co_return false;
    const auto running = board->sets.members(task_state::picked_up, job->record.stage);
    if (running.empty()) co_return true;
    for (auto& [schedule, members] : view->grouped(running)) {
        if (schedule.empty()) continue;
        const auto existing = view->when(schedule).windows_between(
            overruns_looked_at_, deps_.clock.wall(), windows_looked_at);
        // One whose calendar is too dense to be asked has no overruns to tell.
        if (!existing) continue;
        std::set<wall_time> closed;
        for (const auto& each : *existing)
            if (each.closes > overruns_looked_at_ && each.closes < deps_.clock.wall())
                closed.insert(each.closes);
        if (closed.empty()) continue;
        CO_CHECK_OK(co_await look_at_group(job->record.job, schedule, members, closed));
    }
    co_return true;
}

// All that run, but no more than it takes: one overrun of each window is enough.
async<void> state_event_recorder::look_at_group(
    job_id job, std::string schedule, fleet::system_set running, std::set<wall_time> closed) {
    for (system_number from(0); !closed.empty();) {
        const auto some = running.page(from, page_rows);
        if (some.empty()) break;
        from = some.back().next();
        jobs::job_store::task_filter task_filter{.job = job, .states = {task_state::picked_up}};
        for (const auto each : some) task_filter.systems.push_back(each.value());
        CO_TRY(
            auto page, co_await deps_.job_store.read_tasks(std::move(task_filter), {}, page_rows));
        const auto overrun =
            co_await tell_overruns(job, schedule, running.size(), std::move(page.tasks));
        if (!overrun) co_return fail(overrun.error());
        for (const auto each : *overrun) closed.erase(each);
    }
    co_return result<void>();
}

// Of tasks that run outside, only those that began within a window overrun it. Gives when those
// windows closed.
async<std::set<wall_time>> state_event_recorder::tell_overruns(
    job_id job, std::string schedule, std::size_t count, std::vector<jobs::stored_task> tasks) {
    std::set<wall_time> closed;
    const auto when = deps_.windows.current()->when(schedule);
    for (const auto& task : tasks) {
        if (!task.record.picked_up) continue;
        const auto within = when.open_at(*task.record.picked_up);
        if (!within || !*within) continue;
        closed.insert((*within)->closes);
        const auto match = overruns_.seen(schedule, **within, to_string(job), deps_.clock.wall());
        if (!match) continue;
        std::vector<event_record> notice{overrun_notice(*match, count)};
        const auto written = co_await deps_.events.write(std::move(notice));
        if (!written) overruns_ = {};  // told again, it is the same event
        if (!written) co_return fail(written.error());
        deps_.log.warning(
            "work goes on after its maintenance window",
            {{"schedule", schedule}, {"job", to_string(job)}, {"systems", count}});
    }
    co_return closed;
}

boost::asio::awaitable<void> state_event_recorder::run(const std::atomic<bool>& active) {
    bool well = true;
    while (true) {
        if (active) {
            const auto looked = co_await look();
            if (!looked && looked.error().code() == errc::cancelled) co_return;
            if (!looked && std::exchange(well, false))
                deps_.log.warning("events cannot be told", {{"reason", to_string(looked.error())}});
            if (looked) well = true;
        } else {
            forget();
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::events
