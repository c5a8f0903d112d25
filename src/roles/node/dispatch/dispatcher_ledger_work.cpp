// dispatcher: work that needs the ledger, done one item at a time.
#include "core/jobs/job_changes.h"
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/share_loader.h"

#include <utility>

namespace muster::dispatch {
namespace {

using rollout::task_scheduler;

constexpr std::chrono::milliseconds retry_pause{500};

}  // namespace

// Defers a job until another job ends if the scheduler is full; other work continues.
bool dispatcher::defer_if_full() {
    const auto* share = std::get_if<open_share>(&work_.front());
    if (share == nullptr || scheduler_->has_room_for(share->job)) return false;
    const auto job = share->job;
    if (work_.defer_front())
        deps_.log.warning(
            "open job limit of node reached; new jobs wait",
            {{"limit", options_.jobs_max}, {"job", to_string(job)}});
    return true;
}

std::optional<std::int64_t> dispatcher::loaded_epoch(job_id job) const {
    if (work_.is_opening(job)) return std::nullopt;
    return complete_epoch_;
}

boost::asio::awaitable<void> dispatcher::run_ledger_work() {
    bool last_ok = true;
    while (true) {
        if (work_.is_empty()) {
            const auto woken = co_await work_.wait();
            if (!woken) co_return;
            continue;
        }
        if (defer_if_full()) continue;
        auto work = work_.front();
        const auto outcome = co_await std::visit(
            [this](auto item) { return run(std::move(item)); }, std::move(work));
        if (outcome || outcome.error().code() == errc::invalid
            || outcome.error().code() == errc::not_found) {
            work_.pop();
            last_ok = true;
            outbox_.flush();
            continue;
        }
        if (outcome.error().code() == errc::cancelled) co_return;
        if (std::exchange(last_ok, false))
            deps_.log.warning("task lookup failed", {{"error", to_string(outcome.error())}});
        const auto slept = co_await deps_.clock.sleep_for(retry_pause);
        if (!slept) co_return;
    }
}

async<void> dispatcher::run(open_share request) {
    if (deps_.open_jobs.find(request.job) == nullptr) co_return result<void>();
    CO_TRY(
        auto share,
        co_await load_share(&deps_.jobs, request.job, request.systems & owned_.systems()));
    const auto job = deps_.open_jobs.find(request.job);
    if (job == nullptr || share.targets.empty()) co_return result<void>();
    CO_CHECK_OK(co_await gates_.load_durations(job->record.spec, share.targets));
    // Systems lost meanwhile belong to another node.
    share.targets &= owned_.systems();
    std::erase_if(share.running, [&share](const rollout::running_task& task) {
        return !share.targets.contains(task.system);
    });
    std::erase_if(share.waiting, [&share](const rollout::waiting_task& task) {
        return !share.targets.contains(task.system);
    });
    const auto gained = share.targets;
    close_gate(*job, gained);  // an open job would start them at once
    auto terms = rollout::terms_of(job->record, deps_.clock.wall(), now());
    CO_CHECK_OK(scheduler_.try_feed(&task_scheduler::open, std::move(terms), std::move(share)));
    close_gate(*job, gained);  // a job that was just opened has its gate only now
    review_gate(*job);
    scheduler_.feed(&task_scheduler::set_permission, request.job, permission_of(*job));
    scheduler_.feed(
        &task_scheduler::set_stage, request.job, job->record.stage, job->record.kill_running);
    co_return result<void>();
}

async<void> dispatcher::run(halt_job request) {
    const auto halted = co_await deps_.jobs.change(
        request.job, [reason = request.reason](job_record job) -> result<job_record> {
            return jobs::halt(std::move(job), reason);
        });
    if (!halted) co_return fail(halted.error());
    co_return result<void>();
}

async<void> dispatcher::run(late_report report) {
    auto& row = report.row;
    const auto job_targets = co_await deps_.jobs.find_targets(row.job);
    const bool is_gone = !job_targets && job_targets.error().code() == errc::not_found;
    if (!job_targets && !is_gone) co_return fail(job_targets.error());
    if (is_gone || !job_targets->systems.contains(system_number(row.system))) {
        acknowledge_only(row);
        co_return result<void>();
    }
    const auto job = co_await deps_.jobs.find(row.job);
    if (!job && job.error().code() != errc::not_found) co_return fail(job.error());
    if (!job) acknowledge_only(row);
    if (job) record_unexpected(job->record, std::move(row), report.outcome);
    co_return result<void>();
}

}  // namespace muster::dispatch
