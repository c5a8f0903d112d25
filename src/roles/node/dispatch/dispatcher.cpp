#include "roles/node/dispatch/dispatcher.h"

#include "ports/deadline.h"
#include "roles/node/dispatch/task_frames.h"
#include "roles/node/dispatch/zone_limit.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using rollout::task_scheduler;

constexpr auto clock_interval = 250ms;
// This many messages at once mean that more follow: waking for each would cost as much as the
// message.
constexpr std::size_t crowd_size = 8;
constexpr auto crowd_pause = 2ms;
constexpr auto follow_interval = 1s;
constexpr auto recheck_interval = 30s;
constexpr auto overdue_grace = 20s;

// Whether the job is expired or cancelled and still has not ended.
bool is_overdue(const job_record& job, wall_time now) {
    const auto expiry = job.spec.not_before.value_or(created_at(job.job))
                        + std::chrono::floor<std::chrono::microseconds>(job.spec.expires_after);
    const bool cancelled = job.stage == job_stage::cancelling && now >= job.changed + overdue_grace;
    return cancelled || now >= expiry + overdue_grace;
}

}  // namespace

dispatcher::dispatcher(dependencies deps, options options)
    : deps_(deps),
      options_(std::move(options)),
      scheduler_(
          *this,
          rollout::scheduler_options{
              .self = options_.self,
              .jobs_max = options_.jobs_max,
              .node_tasks_max = options_.node_points,
              .system_tasks_max = options_.system_points,
              .unlimited_max = options_.node_points}),
      outbox_(deps_.agents),
      result_writer_(
          {.ledger = deps_.jobs.ledger(),
           .clock = deps_.clock,
           .log = deps_.log,
           .listener = *this},
          options_.results),
      payloads_(
          {.jobs = deps_.jobs, .clock = deps_.clock, .log = deps_.log, .outbox = outbox_},
          options_.payloads),
      owned_(options_.self.str(), options_.handover),
      gates_(deps_.clock, deps_.windows) {
    deps_.open_jobs.watch([this](const jobs::open_job& open_job) { on_job_changed(open_job); });
}

void dispatcher::on_systems_changed(std::span<const fleet::change> changes) {
    {
        const std::scoped_lock lock(changes_guard_);
        changes_.insert(changes_.end(), changes.begin(), changes.end());
    }
    systems_changed_.notify();
}

boost::asio::awaitable<void> dispatcher::read_inbox() {
    while (true) {
        const auto messages = deps_.inbox.take_all();
        for (const auto& message : messages)
            std::visit([this](const auto& alternative) { on_message(alternative); }, message);
        if (!messages.empty()) {
            update_pressure();
            outbox_.flush();
        }
        result<void> woken;
        if (messages.size() < crowd_size) {
            woken = co_await deps_.inbox.wakeup().wait();
        } else {
            woken = co_await deps_.clock.sleep_for(crowd_pause);
        }
        if (!woken) co_return;
    }
}

boost::asio::awaitable<void> dispatcher::watch_clock() {
    while (true) {
        update_pressure();
        review_gates();
        recheck_overdue_jobs();
        scheduler_.feed(&task_scheduler::expire);
        write_overdue_starts();
        write_presumed();
        send_recorded();
        outbox_.flush();
        const auto deadline =
            std::min(scheduler_->next_deadline().value_or(instant::max()), now() + clock_interval);
        const auto slept = co_await deps_.clock.sleep_until(deadline);
        if (!slept) co_return;
    }
}

boost::asio::awaitable<void> dispatcher::follow_systems() {
    while (true) {
        const auto topology = deps_.topology.read();
        apply_zone_limit(topology);
        if (owned_.update_topology(*topology, now()) && deps_.systems.complete()) {
            const auto difference = co_await owned_.survey(deps_.systems, now());
            if (!difference) co_return;
            on_owned_changed(*difference);
            complete_epoch_ = owned_.complete_epoch();
        }
        std::vector<fleet::change> changes;
        {
            const std::scoped_lock lock(changes_guard_);
            changes = std::exchange(changes_, {});
        }
        if (!changes.empty()) on_owned_changed(owned_.on_systems_changed(changes, now()));
        const auto woken = co_await within(deps_.clock, follow_interval, systems_changed_.wait());
        if (!woken && woken.error().code() == errc::cancelled) co_return;
    }
}

void dispatcher::apply_zone_limit(const std::shared_ptr<const cluster::topology>& topology) {
    if (std::exchange(limit_topology_, topology) == topology) return;
    const auto points = node_points(*topology, options_.self.str(), options_.node_points);
    scheduler_.feed(&task_scheduler::set_node_tasks_max, points);
    outbox_.flush();
}

void dispatcher::on_owned_changed(const owned_systems::difference& difference) {
    if (difference.is_empty()) return;
    presumed_.remove(difference.lost);
    scheduler_.feed(&task_scheduler::remove_systems, difference.lost, owned_.epoch());
    for (const auto& job : deps_.open_jobs.all()) {
        auto gained_targets = job->targets->systems & difference.gained;
        if (!gained_targets.empty())
            work_.push(open_share{.job = job->record.job, .systems = std::move(gained_targets)});
    }
    outbox_.flush();
}

rollout::permission dispatcher::permission_of(const jobs::open_job& job) const {
    switch (job.record.phase) {
        case job_phase::none:
            return rollout::start_none{};
        case job_phase::canaries:
            return rollout::canaries_only{job.targets->canaries};
        case job_phase::all:
            return rollout::start_all{};
    }
    MUSTER_ASSERT(false);
}

void dispatcher::on_job_changed(const jobs::open_job& job) {
    const auto& record = job.record;
    const auto scheduled = scheduler_->jobs();
    if (!std::ranges::binary_search(scheduled, record.job)) {
        if (is_final(record.stage)) return;
        auto owned_targets = job.targets->systems & owned_.systems();
        if (!owned_targets.empty())
            work_.push(open_share{.job = record.job, .systems = std::move(owned_targets)});
        return;
    }
    if (!is_final(record.stage))
        scheduler_.feed(&task_scheduler::set_permission, record.job, permission_of(job));
    scheduler_.feed(&task_scheduler::set_stage, record.job, record.stage, record.kill_running);
    outbox_.flush();
}

void dispatcher::on_message(const agent_detached& message) {
    if (outbox_.detach(message.system, message.connection))
        scheduler_.feed(&task_scheduler::on_detached, message.system);
}

void dispatcher::on_message(const agent_message& message) {
    switch (message.frame.kind_case()) {
        case Frame::kTasksHeld:
            on_tasks_held(message, message.frame.tasks_held());
            return;
        case Frame::kReports:
            for (const auto& report : message.frame.reports().reports())
                on_report(message.system, report);
            return;
        case Frame::kPayloadPart:
            payloads_.add_part(message.system, message.frame.payload_part());
            return;
        default:
            return;
    }
}

void dispatcher::on_tasks_held(
    const agent_message& message, const muster::agent_protocol::TasksHeld& tasks_held) {
    for (const auto& held : tasks_held.held()) {
        const auto task = key_of(held.task(), message.system);
        if (held.unknown()) {
            scheduler_.feed(&task_scheduler::on_unknown, task);
            continue;
        }
        scheduler_.feed(&task_scheduler::on_accepted, task);
        scheduler_.feed(&task_scheduler::on_still_running, task);
        auto row = row_of(task, task_state::picked_up);
        row.picked_up =
            std::min(wall_time(std::chrono::microseconds(held.since_us())), deps_.clock.wall());
        if (deps_.open_jobs.find(task.job) != nullptr) unrecorded_.add(std::move(row), now());
    }
    if (!tasks_held.all()) return;
    outbox_.attach(message.system, message.connection);
    scheduler_.feed(&task_scheduler::set_running_max, message.system, tasks_held.running_max());
    scheduler_.feed(&task_scheduler::on_attached, message.system);
}

// The lease may have ended during a slow write. Another node may then count running tasks and not
// know of these. They are sent if the lease is certain again and the slot is still ours; otherwise
// the new owner sends them.
void dispatcher::send_recorded() {
    if (is_fenced()) return;
    for (const auto& task : unsent_.take_all())
        if (owned_.systems().contains(task.system)) send_task(task);
}

void dispatcher::write_overdue_starts() {
    unrecorded_.write(now() - options_.picked_up_after, [this](const task_record& row) {
        return result_writer_.submit(row);
    });
}

void dispatcher::update_pressure() {
    using pressure = task_scheduler::ledger_state;
    in_flight_ = scheduler_->in_flight();
    waiting_ = result_writer_.waiting();
    const bool is_slow = result_writer_.is_behind() || is_fenced();
    scheduler_.feed(
        &task_scheduler::set_ledger_state, is_slow ? pressure::overloaded : pressure::ok);
}

// The former node of a system may have recorded a start after this node loaded the tasks. No other
// component would check such a task.
void dispatcher::recheck_overdue_jobs() {
    if (now() < recheck_due_) return;
    recheck_due_ = now() + recheck_interval;
    for (const auto& job : deps_.open_jobs.all()) {
        if (!is_overdue(job->record, deps_.clock.wall()) || work_.is_opening(job->record.job))
            continue;
        auto owned_targets = job->targets->systems & owned_.systems();
        if (!owned_targets.empty())
            work_.push(open_share{.job = job->record.job, .systems = std::move(owned_targets)});
    }
}

// Updates on which systems jobs that respect windows may start.
void dispatcher::review_gates() {
    if (now() < gates_due_) return;
    gates_due_ = now() + window_gates::validity;
    for (const auto id : scheduler_->jobs()) {
        const auto job = deps_.open_jobs.find(id);
        if (job != nullptr) review_gate(*job);
        if (job == nullptr) gates_.forget(id);
    }
}

void dispatcher::review_gate(const jobs::open_job& job) {
    const auto& record = job.record;
    if (!respects_windows(record.spec)) return;
    const auto changes = gates_.update(record, job.targets->systems & owned_.systems());
    if (!changes.closed.empty())
        scheduler_.feed(
            &task_scheduler::set_window,
            record.job,
            changes.closed,
            task_scheduler::window_state::closed);
    if (!changes.opened.empty())
        scheduler_.feed(
            &task_scheduler::set_window,
            record.job,
            changes.opened,
            task_scheduler::window_state::open);
}

void dispatcher::close_gate(const jobs::open_job& job, const fleet::system_set& systems) {
    if (!respects_windows(job.record.spec)) return;
    gates_.close(job.record.job, systems);
    scheduler_.feed(
        &task_scheduler::set_window, job.record.job, systems, task_scheduler::window_state::closed);
}

// Checked right before a start: the process may have been suspended, or a write may have been slow.
bool dispatcher::is_outside_window(const rollout::attempt_key& task) {
    const auto it = deps_.open_jobs.find(task.job);
    if (it == nullptr || !respects_windows(it->record.spec)) return false;
    if (gates_.is_stale(task)) review_gate(*it);
    return gates_.is_closed(task);
}

void dispatcher::allow(
    job_id job, rollout::allowance allowance, rollout::tasks_elsewhere elsewhere) {
    scheduler_.feed(&task_scheduler::set_allowance, job, allowance, elsewhere);
    outbox_.flush();
}

}  // namespace muster::dispatch
