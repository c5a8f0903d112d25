// What needs the ledger and is done one after the other.
#include "core/jobs/job_changes.h"
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/share_loader.h"

#include <utility>

namespace muster::dispatch {
namespace {

using rollout::task_scheduler;

constexpr std::chrono::milliseconds errand_pause{500};

}  // namespace

// A job that finds no room waits for one that ends, and nothing else waits behind it.
bool dispatcher::put_off_if_full() {
    const auto* share = std::get_if<open_share>(&work_.front());
    if (share == nullptr || scheduler_->takes(share->job)) return false;
    const auto job = share->job;
    if (work_.put_off_front())
        deps_.log.warning(
            "this node has as many open jobs as it takes; others wait",
            {{"jobs", options_.jobs_max}, {"first", to_string(job)}});
    return true;
}

std::optional<std::int64_t> dispatcher::loaded_epoch(job_id job) const {
    if (work_.is_opening(job)) return std::nullopt;
    return known_epoch_;
}

boost::asio::awaitable<void> dispatcher::run_errands() {
    bool well = true;
    while (true) {
        if (work_.empty()) {
            const auto rung = co_await work_.wait();
            if (!rung) co_return;
            continue;
        }
        if (put_off_if_full()) continue;
        auto next = work_.front();
        const auto done = co_await std::visit(
            [this](auto what) { return run(std::move(what)); }, std::move(next));
        if (done || done.error().code() == errc::invalid
            || done.error().code() == errc::not_found) {
            work_.pop();
            well = true;
            outbox_.flush();
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (std::exchange(well, false))
            deps_.log.warning("cannot look up tasks", {{"reason", to_string(done.error())}});
        const auto slept = co_await deps_.clock.sleep_for(errand_pause);
        if (!slept) co_return;
    }
}

async<void> dispatcher::run(open_share open_share) {
    if (deps_.open_jobs.find(open_share.job) == nullptr) co_return result<void>();
    CO_TRY(
        auto share,
        co_await load_share(&deps_.jobs, open_share.job, open_share.systems & held_.held()));
    const auto job = deps_.open_jobs.find(open_share.job);
    if (job == nullptr || share.targets.empty()) co_return result<void>();
    CO_CHECK_OK(co_await gates_.learn(job->record.spec, share.targets));
    // What was lost meanwhile is no longer ours to start.
    share.targets &= held_.held();
    std::erase_if(share.running, [&share](const rollout::running_task& running_task) {
        return !share.targets.contains(running_task.system);
    });
    std::erase_if(share.waiting, [&share](const rollout::waiting_task& waiting_task) {
        return !share.targets.contains(waiting_task.system);
    });
    const auto gained = share.targets;
    shut_gate(*job, gained);  // one that is open here would start them at once
    auto terms = rollout::terms_of(job->record, deps_.clock.wall(), now());
    CO_CHECK_OK(scheduler_.try_feed(&task_scheduler::open, std::move(terms), std::move(share)));
    shut_gate(*job, gained);  // one that was not here before has its gate only now
    review_gate(*job);
    scheduler_.feed(&task_scheduler::permit, open_share.job, permission_of(*job));
    scheduler_.feed(
        &task_scheduler::change, open_share.job, job->record.stage, job->record.kill_running);
    co_return result<void>();
}

async<void> dispatcher::run(halt_job halt_job) {
    const auto halted = co_await deps_.jobs.change(
        halt_job.job, [reason = halt_job.reason](job_record job) -> result<job_record> {
            return jobs::halt(std::move(job), reason);
        });
    if (!halted) co_return fail(halted.error());
    co_return result<void>();
}

async<void> dispatcher::run(late_report late_report) {
    auto& row = late_report.row;
    const auto who = co_await deps_.jobs.audience(row.job);
    const bool gone = !who && who.error().code() == errc::not_found;
    if (!who && !gone) co_return fail(who.error());
    if (gone || !who->targets.contains(system_number(row.system))) {
        dismiss(row);
        co_return result<void>();
    }
    const auto job = co_await deps_.jobs.find(row.job);
    if (!job && job.error().code() != errc::not_found) co_return fail(job.error());
    if (!job) dismiss(row);
    if (job) record_unasked(job->record, std::move(row), late_report.how);
    co_return result<void>();
}

}  // namespace muster::dispatch
