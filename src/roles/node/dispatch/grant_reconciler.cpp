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
      grants_(deps.metastore, deps.clock, deps.log, jobs::grants_of(options_.self)) {}

// Whether this node may rely on what it knows.
bool grant_reconciler::stands() {
    const auto now = deps_.clock.now();
    const auto last = std::exchange(looked_, now);
    const auto topology = deps_.topology.read();
    const auto own = topology->nodes.find(options_.self.str());
    if (own == topology->nodes.end() || !membership::is_member(own->second.state)) return false;
    const std::pair place(own->second.number, own->second.zone);
    if (std::exchange(place_, place) != place) return false;
    return deps_.lease.holds(now) && (!last || now - *last <= options_.lapse);
}

void grant_reconciler::start_anew() {
    if (held_.empty()) return;
    for (const auto& [job, mine] : held_) deps_.node.allow(job, {}, mine.holder.settled());
    held_.clear();
    ++beginnings_;
}

void grant_reconciler::forget_ended() {
    std::erase_if(
        held_, [this](const auto& each) { return deps_.open_jobs.find(each.first) == nullptr; });
}

void grant_reconciler::tell_dispatcher(job_id job, holding& holding) {
    if (!deps_.node.scheduler().report(job, deps_.clock.now())) {
        holding.told.reset();
        return;
    }
    const std::pair now(holding.holder.usable(), holding.holder.settled());
    if (holding.told == now) return;
    holding.told = now;
    deps_.node.allow(job, now.first, now.second);
}

// A job none of whose systems are here may still be charged to this node: for what it started
// before its slots went elsewhere.
std::uint64_t grant_reconciler::used(job_id job, const holding& holding) const {
    const auto response = deps_.node.scheduler().report(job, deps_.clock.now());
    return response ? response->used : holding.holder.settled().elsewhere;
}

async<void> grant_reconciler::offer(job_id job, rollout::grant_holder::write write) {
    ++writes_;
    const auto key = jobs::grant_key(options_.self, job);
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{key, kv::revision(write.revision)});
    change.then.emplace_back(kv::put{.key = key, .value = jobs::encode(write.to)});
    CO_TRY(
        const auto verdict,
        co_await within(deps_.clock, options_.timeout, deps_.metastore.commit(std::move(change))));
    const auto own = held_.find(job);
    if (!verdict.committed || own == held_.end()) co_return result<void>();
    own->second.holder.observe(std::move(write.to), verdict.at.value());
    tell_dispatcher(job, own->second);
    co_return result<void>();
}

async<void> grant_reconciler::report(
    std::shared_ptr<const jobs::open_job> job, std::int64_t epoch) {
    const auto id = job->record.job;
    auto& held = held_.at(id);
    const auto now = deps_.clock.now();
    if (now < held.report_from) co_return result<void>();
    auto response = deps_.node.scheduler().report(id, now).value_or(rollout::share_report());
    response.used = used(id, held);
    response.epoch = epoch;
    response.unsettled = std::max(response.unsettled, held.holder.began());
    const auto limits = jobs::limits_of(job->record);
    MUSTER_ASSERT(limits.has_value());
    auto outline = rollout::outline(std::move(response), options_.self, *limits);
    if (held.reported == outline) co_return result<void>();
    ++writes_;
    held.report_from = now + options_.report_interval;
    kv::transaction change;
    change.then.emplace_back(
        kv::put{.key = jobs::report_key(options_.self, id), .value = jobs::encode(outline)});
    CO_TRY(
        const auto verdict,
        co_await within(deps_.clock, options_.timeout, deps_.metastore.commit(std::move(change))));
    MUSTER_ASSERT(verdict.committed);  // nothing was required
    held_.at(id).reported = std::move(outline);
    co_return result<void>();
}

// Before all of the node's tasks of the job are read it neither uses nor gives back anything: it
// would take for free what earlier starts of its own still use.
async<void> grant_reconciler::look_at(std::shared_ptr<const jobs::open_job> job) {
    const auto id = job->record.job;
    const auto loaded = deps_.node.loaded_epoch(id);
    if (!loaded) co_return result<void>();
    auto& own = held_
                    .try_emplace(
                        id,
                        holding{
                            .holder = rollout::grant_holder(
                                options_.process + "." + std::to_string(beginnings_), *loaded),
                            .told = {},
                            .reported = {}})
                    .first->second;
    const auto* const quota = grants_.find(id);
    if (quota != nullptr) {
        const auto record = quota->grants.find(options_.self.str());
        if (record != quota->grants.end())
            own.holder.observe(record->second.what, record->second.at.value());
    }
    tell_dispatcher(id, own);
    if (auto wish = own.holder.wish(used(id, own))) {
        CO_CHECK_OK(co_await offer(id, *std::move(wish)));
    }
    co_return co_await report(std::move(job), *loaded);
}

async<void> grant_reconciler::look() {
    if (!stands()) {
        start_anew();
        co_return result<void>();
    }
    forget_ended();
    writes_ = 0;
    auto open = deps_.open_jobs.all();
    std::erase_if(open, [](const auto& each) { return !jobs::limits_of(each->record); });
    // Goes on where it ended, so that many jobs all get their turn.
    const auto next =
        std::ranges::find_if(open, [this](const auto& each) { return each->record.job > last_; });
    std::ranges::rotate(open, next);
    last_ = job_id();
    for (const auto& each : open) {
        if (!may_write()) break;
        CO_CHECK_OK(co_await look_at(each));
        if (!may_write()) last_ = each->record.job;
    }
    co_return result<void>();
}

boost::asio::awaitable<void> grant_reconciler::run() {
    bool well = true;
    while (true) {
        const auto news = co_await grants_.follow(options_.interval);
        const auto done = news ? co_await look() : fail(news.error());
        if (done) {
            well = true;
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (std::exchange(well, false))
            deps_.log.warning(
                "cannot follow what this node may use of jobs' limits; it goes on with what it has",
                {{"reason", to_string(done.error())}});
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::dispatch
