#include "roles/node/dispatch/grant_reconciler.h"

#include "base/assert.h"
#include "ports/deadline.h"
#include "services/jobs/quota_record.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {

grant_reconciler::grant_reconciler(dependencies deps, options options)
    : deps_(deps),
      options_(std::move(options)),
      grants_(deps.metastore, deps.clock, deps.log, jobs::grants_prefix(options_.self)) {}

// Whether the known grants are still valid.
bool grant_reconciler::is_state_valid() {
    const auto now = deps_.clock.now();
    const auto last = std::exchange(last_run_, now);
    const auto topology = deps_.topology.read();
    const auto own = topology->nodes.find(options_.self.str());
    if (own == topology->nodes.end() || !membership::is_member(own->second.state)) return false;
    const std::pair place(own->second.number, own->second.zone);
    if (std::exchange(own_place_, place) != place) return false;
    return deps_.lease.holds(now) && (!last || now - *last <= options_.lapse);
}

void grant_reconciler::restart() {
    if (job_grants_.empty()) return;
    for (const auto& [job, grant] : job_grants_)
        deps_.node.allow(job, {}, grant.holder.elsewhere());
    job_grants_.clear();
    ++generation_;
}

void grant_reconciler::forget_ended() {
    std::erase_if(job_grants_, [this](const auto& entry) {
        return deps_.open_jobs.find(entry.first) == nullptr;
    });
}

void grant_reconciler::update_dispatcher(job_id job, job_grant& grant) {
    if (!deps_.node.scheduler().report(job, deps_.clock.now())) {
        grant.passed.reset();
        return;
    }
    const std::pair current(grant.holder.usable(), grant.holder.elsewhere());
    if (grant.passed == current) return;
    grant.passed = current;
    deps_.node.allow(job, current.first, current.second);
}

// A job without systems on this node may still use its grant, for tasks started before the slots
// moved.
std::uint64_t grant_reconciler::used_tasks(job_id job, const job_grant& grant) const {
    const auto report = deps_.node.scheduler().report(job, deps_.clock.now());
    return report ? report->used : grant.holder.elsewhere().count;
}

async<void> grant_reconciler::write_grant(job_id job, rollout::grant_holder::write write) {
    ++writes_;
    const auto key = jobs::grant_key(options_.self, job);
    kv::transaction transaction;
    transaction.when.emplace_back(kv::unchanged{key, kv::revision(write.revision)});
    transaction.then.emplace_back(kv::put{.key = key, .value = jobs::encode(write.record)});
    CO_TRY(
        const auto outcome,
        co_await within(
            deps_.clock, options_.timeout, deps_.metastore.commit(std::move(transaction))));
    const auto entry = job_grants_.find(job);
    if (!outcome.committed || entry == job_grants_.end()) co_return result<void>();
    entry->second.holder.observe(std::move(write.record), outcome.at.value());
    update_dispatcher(job, entry->second);
    co_return result<void>();
}

async<void> grant_reconciler::report(
    std::shared_ptr<const jobs::open_job> job, std::int64_t epoch) {
    const auto id = job->record.job;
    auto& grant = job_grants_.at(id);
    const auto now = deps_.clock.now();
    if (now < grant.next_report) co_return result<void>();
    auto share_report = deps_.node.scheduler().report(id, now).value_or(rollout::share_report());
    share_report.used = used_tasks(id, grant);
    share_report.epoch = epoch;
    share_report.unsettled_epoch =
        std::max(share_report.unsettled_epoch, grant.holder.start_epoch());
    const auto limits = jobs::limits_of(job->record);
    MUSTER_ASSERT(limits.has_value());
    auto outline = rollout::summarize(std::move(share_report), options_.self, *limits);
    if (grant.reported == outline) co_return result<void>();
    ++writes_;
    grant.next_report = now + options_.report_interval;
    kv::transaction transaction;
    transaction.then.emplace_back(
        kv::put{.key = jobs::report_key(options_.self, id), .value = jobs::encode(outline)});
    CO_TRY(
        const auto outcome,
        co_await within(
            deps_.clock, options_.timeout, deps_.metastore.commit(std::move(transaction))));
    MUSTER_ASSERT(outcome.committed);  // the transaction has no conditions
    job_grants_.at(id).reported = std::move(outline);
    co_return result<void>();
}

// Waits until all tasks of the job are loaded. Otherwise points used by earlier starts would look
// free.
async<void> grant_reconciler::reconcile_job(std::shared_ptr<const jobs::open_job> job) {
    const auto id = job->record.job;
    const auto loaded = deps_.node.loaded_epoch(id);
    if (!loaded) co_return result<void>();
    auto& grant = job_grants_
                      .try_emplace(
                          id,
                          job_grant{
                              .holder = rollout::grant_holder(
                                  options_.process + "." + std::to_string(generation_), *loaded),
                              .passed = {},
                              .reported = {}})
                      .first->second;
    const auto* const quota = grants_.find(id);
    if (quota != nullptr) {
        const auto record = quota->grants.find(options_.self.str());
        if (record != quota->grants.end())
            grant.holder.observe(record->second.record, record->second.revision.value());
    }
    update_dispatcher(id, grant);
    if (auto write = grant.holder.next_write(used_tasks(id, grant))) {
        CO_CHECK_OK(co_await write_grant(id, *std::move(write)));
    }
    co_return co_await report(std::move(job), *loaded);
}

async<void> grant_reconciler::run_once() {
    if (!is_state_valid()) {
        restart();
        co_return result<void>();
    }
    forget_ended();
    writes_ = 0;
    auto open_jobs = deps_.open_jobs.all();
    std::erase_if(open_jobs, [](const auto& job) { return !jobs::limits_of(job->record); });
    // Continues after the last job, so that all jobs get a turn.
    const auto next = std::ranges::find_if(
        open_jobs, [this](const auto& job) { return job->record.job > last_job_; });
    std::ranges::rotate(open_jobs, next);
    last_job_ = job_id();
    for (const auto& job : open_jobs) {
        if (!may_write()) break;
        CO_CHECK_OK(co_await reconcile_job(job));
        if (!may_write()) last_job_ = job->record.job;
    }
    co_return result<void>();
}

boost::asio::awaitable<void> grant_reconciler::run() {
    bool last_ok = true;
    while (true) {
        const auto followed = co_await grants_.follow(options_.interval);
        const auto outcome = followed ? co_await run_once() : fail(followed.error());
        if (outcome) {
            last_ok = true;
            continue;
        }
        if (outcome.error().code() == errc::cancelled) co_return;
        if (std::exchange(last_ok, false))
            deps_.log.warning(
                "job grant update failed; last known grants kept",
                {{"error", to_string(outcome.error())}});
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::dispatch
