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
// So many at once tell that more are coming: waking up for each of them would cost as much as what
// it says.
constexpr std::size_t crowd = 8;
constexpr auto crowd_pause = 2ms;
constexpr auto holdings_interval = 1s;
constexpr auto look_again_interval = 30s;
constexpr auto lingers_from = 20s;

// Its time is over, or it is cancelled, and still it has not ended.
bool lingers(const job_record& job, wall_time now) {
    const auto over = job.spec.not_before.value_or(made_at(job.job))
                      + std::chrono::floor<std::chrono::microseconds>(job.spec.expires_after);
    const bool cancelled = job.stage == job_stage::cancelling && now >= job.changed + lingers_from;
    return cancelled || now >= over + lingers_from;
}

}  // namespace

dispatcher::dispatcher(dependencies deps, options options)
    : deps_(deps),
      options_(std::move(options)),
      scheduler_(
          *this,
          rollout::engine_options{
              .self = options_.self,
              .jobs_max = options_.jobs_max,
              .node_points = options_.node_points,
              .system_points = options_.system_points,
              .unpaid_max = options_.node_points}),
      outbox_(deps_.agents),
      keeper_(
          {.ledger = deps_.jobs.records(),
           .clock = deps_.clock,
           .log = deps_.log,
           .listener = *this},
          options_.keeping),
      payloads_(
          {.jobs = deps_.jobs, .clock = deps_.clock, .log = deps_.log, .outbox = outbox_},
          options_.payloads),
      held_(options_.self.str(), options_.handover),
      gates_(deps_.clock, deps_.windows) {
    deps_.open_jobs.watch([this](const jobs::open_job& open_job) { job_changed(open_job); });
}

void dispatcher::heard_of(std::span<const fleet::change> changes) {
    {
        const std::scoped_lock lock(changes_guard_);
        changes_.insert(changes_.end(), changes.begin(), changes.end());
    }
    holdings_bell_.ring();
}

boost::asio::awaitable<void> dispatcher::read_inbox() {
    while (true) {
        const auto news = deps_.inbox.take();
        for (const auto& each : news) std::visit([this](const auto& one) { take(one); }, each);
        if (!news.empty()) {
            review_pressure();
            outbox_.flush();
        }
        result<void> rung;
        if (news.size() < crowd) {
            rung = co_await deps_.inbox.bell().wait();
        } else {
            rung = co_await deps_.clock.sleep_for(crowd_pause);
        }
        if (!rung) co_return;
    }
}

boost::asio::awaitable<void> dispatcher::watch_clock() {
    while (true) {
        review_pressure();
        review_gates();
        look_again();
        scheduler_.feed(&task_scheduler::expire);
        write_overdue_starts();
        write_presumed();
        send_recorded();
        outbox_.flush();
        const auto wake =
            std::min(scheduler_->next_deadline().value_or(instant::max()), now() + clock_interval);
        const auto slept = co_await deps_.clock.sleep_until(wake);
        if (!slept) co_return;
    }
}

boost::asio::awaitable<void> dispatcher::keep_holdings() {
    while (true) {
        const auto topology = deps_.topology.read();
        heed_zone_limit(topology);
        if (held_.see(*topology, now()) && deps_.systems.complete()) {
            const auto result = co_await held_.survey(deps_.systems, now());
            if (!result) co_return;
            holdings_changed(*result);
            known_epoch_ = held_.whole_epoch();
        }
        std::vector<fleet::change> changes;
        {
            const std::scoped_lock lock(changes_guard_);
            changes = std::exchange(changes_, {});
        }
        if (!changes.empty()) holdings_changed(held_.heard_of(changes, now()));
        const auto rung = co_await within(deps_.clock, holdings_interval, holdings_bell_.wait());
        if (!rung && rung.error().code() == errc::cancelled) co_return;
    }
}

void dispatcher::heed_zone_limit(const std::shared_ptr<const cluster::topology>& topology) {
    if (std::exchange(limited_by_, topology) == topology) return;
    const auto points = points_of(*topology, options_.self.str(), options_.node_points);
    scheduler_.feed(&task_scheduler::set_points, points);
    outbox_.flush();
}

void dispatcher::holdings_changed(const owned_systems::difference& difference) {
    if (difference.empty()) return;
    presumed_.lose(difference.lost);
    scheduler_.feed(&task_scheduler::lose, difference.lost, held_.epoch());
    for (const auto& each : deps_.open_jobs.all()) {
        auto own = each->who->targets & difference.gained;
        if (!own.empty())
            work_.push(open_share{.job = each->record.job, .systems = std::move(own)});
    }
    outbox_.flush();
}

rollout::permission dispatcher::permission_of(const jobs::open_job& open_job) const {
    switch (open_job.record.phase) {
        case job_phase::nobody:
            return rollout::nobody{};
        case job_phase::canaries:
            return rollout::canaries_only{open_job.who->canaries};
        case job_phase::everybody:
            return rollout::everybody{};
    }
    MUSTER_ASSERT(false);
}

void dispatcher::job_changed(const jobs::open_job& open_job) {
    const auto& record = open_job.record;
    const auto existing = scheduler_->jobs();
    if (!std::ranges::binary_search(existing, record.job)) {
        if (is_end(record.stage)) return;
        auto own = open_job.who->targets & held_.held();
        if (!own.empty()) work_.push(open_share{.job = record.job, .systems = std::move(own)});
        return;
    }
    if (!is_end(record.stage))
        scheduler_.feed(&task_scheduler::permit, record.job, permission_of(open_job));
    scheduler_.feed(&task_scheduler::change, record.job, record.stage, record.kill_running);
    outbox_.flush();
}

void dispatcher::take(const agent_detached& news) {
    if (outbox_.detach(news.system, news.over))
        scheduler_.feed(&task_scheduler::went_away, news.system);
}

void dispatcher::take(const agent_message& news) {
    switch (news.frame.kind_case()) {
        case Frame::kTasksHeld:
            take_held(news, news.frame.tasks_held());
            return;
        case Frame::kReports:
            for (const auto& report : news.frame.reports().reports())
                take_report(news.system, report);
            return;
        case Frame::kPayloadPart:
            payloads_.take(news.system, news.frame.payload_part());
            return;
        default:
            return;
    }
}

void dispatcher::take_held(
    const agent_message& news, const muster::agent_protocol::TasksHeld& tasks_held) {
    for (const auto& each : tasks_held.held()) {
        const auto task = key_of(each.task(), news.system);
        if (each.unknown()) {
            scheduler_.feed(&task_scheduler::not_known, task);
            continue;
        }
        scheduler_.feed(&task_scheduler::accepted, task);
        scheduler_.feed(&task_scheduler::still_running, task);
        auto row = row_of(task, task_state::picked_up);
        row.picked_up =
            std::min(wall_time(std::chrono::microseconds(each.since_us())), deps_.clock.wall());
        if (deps_.open_jobs.find(task.job) != nullptr) unrecorded_.add(std::move(row), now());
    }
    if (!tasks_held.all()) return;
    outbox_.attach(news.system, news.over);
    scheduler_.feed(&task_scheduler::bounded, news.system, tasks_held.running_max());
    scheduler_.feed(&task_scheduler::attached, news.system);
}

// A ledger that took long may have outlasted the lease: then another node may be counting what runs
// already, and would not know of these. If the slot is still ours when the lease is sure again,
// they go out; if not, it is for the heir to send them.
void dispatcher::send_recorded() {
    if (fenced()) return;
    for (const auto& task : unsent_.take())
        if (held_.held().contains(task.system)) send_task(task);
}

void dispatcher::write_overdue_starts() {
    unrecorded_.write(now() - options_.picked_up_after, [this](const task_record& row) {
        return keeper_.submit(row);
    });
}

void dispatcher::review_pressure() {
    using pressure = task_scheduler::ledger;
    in_flight_ = scheduler_->in_flight();
    waiting_ = keeper_.waiting();
    const bool slow = keeper_.behind() || fenced();
    scheduler_.feed(&task_scheduler::pressure, slow ? pressure::falls_behind : pressure::keeps_up);
}

// A start of the system's former node may have come on record after this node had read what there
// is; nobody else would ever ask what became of it.
void dispatcher::look_again() {
    if (now() < look_again_due_) return;
    look_again_due_ = now() + look_again_interval;
    for (const auto& each : deps_.open_jobs.all()) {
        if (!lingers(each->record, deps_.clock.wall()) || work_.is_opening(each->record.job))
            continue;
        auto own = each->who->targets & held_.held();
        if (!own.empty())
            work_.push(open_share{.job = each->record.job, .systems = std::move(own)});
    }
}

// Jobs that heed windows: who may be started on now.
void dispatcher::review_gates() {
    if (now() < gates_due_) return;
    gates_due_ = now() + window_gates::holds;
    for (const auto job : scheduler_->jobs()) {
        const auto it = deps_.open_jobs.find(job);
        if (it != nullptr) review_gate(*it);
        if (it == nullptr) gates_.forget(job);
    }
}

void dispatcher::review_gate(const jobs::open_job& open_job) {
    const auto& record = open_job.record;
    if (!heeds_windows(record.spec)) return;
    const auto change = gates_.review(record, open_job.who->targets & held_.held());
    if (!change.shut.empty())
        scheduler_.feed(
            &task_scheduler::set_gate, record.job, change.shut, task_scheduler::gate::closed);
    if (!change.opened.empty())
        scheduler_.feed(
            &task_scheduler::set_gate, record.job, change.opened, task_scheduler::gate::open);
}

void dispatcher::shut_gate(const jobs::open_job& open_job, const fleet::system_set& systems) {
    if (!heeds_windows(open_job.record.spec)) return;
    gates_.shut(open_job.record.job, systems);
    scheduler_.feed(
        &task_scheduler::set_gate, open_job.record.job, systems, task_scheduler::gate::closed);
}

// At the very moment of a start: this process may have stood still since it last looked, and a
// record may have taken long.
bool dispatcher::outside_of_window(const rollout::attempt_key& task) {
    const auto it = deps_.open_jobs.find(task.job);
    if (it == nullptr || !heeds_windows(it->record.spec)) return false;
    if (gates_.is_stale(task)) review_gate(*it);
    return gates_.is_closed(task);
}

void dispatcher::allow(job_id job, rollout::allowance part, rollout::settlement used) {
    scheduler_.feed(&task_scheduler::allow, job, part, used);
    outbox_.flush();
}

}  // namespace muster::dispatch
