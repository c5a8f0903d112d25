#include "services/jobs/quota_allocator.h"

#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {
namespace {

// One place in each list of a transaction is the plan key's.
constexpr std::size_t changes_max =
    std::min(kv::limits::conditions_max, kv::limits::operations_max) - 1;

kv::transaction written_as(
    job_id job,
    const job_quota& quota,
    const plan_record& plan,
    const std::vector<rollout::grant_change>& changes) {
    kv::transaction transaction;
    const auto require = [&transaction](std::string key, const auto* existing) {
        if (existing == nullptr) {
            transaction.when.emplace_back(kv::absent{std::move(key)});
        } else {
            transaction.when.emplace_back(kv::unchanged{std::move(key), existing->at});
        }
    };
    require(plan_key(job), quota.plan ? &*quota.plan : nullptr);
    transaction.then.emplace_back(kv::put{.key = plan_key(job), .value = encode(plan)});
    for (const auto& change : changes) {
        const auto it = quota.grants.find(change.node.str());
        require(grant_key(change.node, job), it == quota.grants.end() ? nullptr : &it->second);
        transaction.then.emplace_back(
            kv::put{.key = grant_key(change.node, job), .value = encode(change.to)});
    }
    return transaction;
}

}  // namespace

quota_allocator::quota_allocator(dependencies deps, options options)
    : deps_(deps),
      options_(options),
      kept_(deps.metastore, deps.clock, deps.log, std::string(cluster::keys::rollout)) {}

// A node that is not there starts nothing more, whatever it said last.
std::vector<rollout::node_view> quota_allocator::views_of(const job_quota& quota) const {
    auto concerned = census_;
    std::erase_if(concerned, [&quota](const auto& each) {
        return !each.second.owns_slots && !quota.grants.contains(each.first);
    });
    for (const auto& [node, grant] : quota.grants) concerned.try_emplace(node, removed_node);
    std::vector<rollout::node_view> views;
    for (const auto& [name, standing] : concerned) {
        rollout::node_view view{
            .node = node_id(name),
            .record = {},
            .report = {},
            .owns_slots = standing.owns_slots,
            .epoch = standing.epoch,
            .changed = standing.changed,
            .gone = standing.out};
        const auto grant = quota.grants.find(name);
        if (grant != quota.grants.end()) view.record = grant->second.what;
        const auto report = quota.reports.find(name);
        if (report != quota.reports.end()) view.report = report->second;
        if (view.report && !standing.there) view.report->startable = 0;
        views.push_back(std::move(view));
    }
    return views;
}

async<bool> quota_allocator::plan(std::shared_ptr<const open_job> job) {
    static const job_quota nothing;
    const auto id = job->record.job;
    const auto* const found = kept_.find(id);
    const auto& quota = found != nullptr ? *found : nothing;
    const auto limits = limits_of(job->record);
    if (!limits || !quota.unreadable.empty()) co_return true;
    const auto awaited = awaited_.find(id);
    if (awaited != awaited_.end() && awaited->second > kept_.at()) co_return false;
    if (quota.plan && quota.plan->what.topology > known_->at) co_return false;
    const auto changes = rollout::plan_grants(*limits, views_of(quota), changes_max);
    if (changes.empty()) co_return true;
    CO_TRY(
        const auto verdict,
        co_await within(
            deps_.clock,
            options_.timeout,
            deps_.metastore.commit(written_as(id, quota, {.topology = known_->at}, changes))));
    if (verdict.committed) awaited_[id] = verdict.at;
    co_return false;  // refused: somebody wrote what the book does not have yet
}

void quota_allocator::note_what_changed() {
    auto topology = deps_.topology.read();
    const bool moved = topology != known_;
    if (moved) {
        known_ = std::move(topology);
        census_ = take_census(*known_);
    }
    auto before = std::exchange(limited_, {});
    for (auto& each : deps_.open_jobs.all()) {
        const auto id = each->record.job;
        if (!limits_of(each->record)) continue;
        const auto last = before.find(id);
        if (moved || last == before.end() || last->second != each) due_.insert(id);
        limited_.emplace(id, std::move(each));
    }
    std::erase_if(due_, [this](job_id job_id) { return !limited_.contains(job_id); });
    std::erase_if(awaited_, [this](const auto& each) { return each.second <= kept_.at(); });
}

async<void> quota_allocator::look(std::set<job_id> touched) {
    due_.merge(touched);
    note_what_changed();
    if (known_->at == kv::revision()) co_return result<void>();  // nobody is known yet
    std::size_t planned = 0;
    for (const auto id : std::set<job_id>(due_)) {
        if (planned++ == options_.plans_a_look) break;
        CO_TRY(const bool done, co_await plan(limited_.at(id)));
        if (done) due_.erase(id);
    }
    if (deps_.clock.now() < next_sweep_) co_return result<void>();
    next_sweep_ = deps_.clock.now() + options_.sweep_interval;
    co_return co_await sweep();
}

// What a job that has ended left, also through a node that heard of its end late.
async<void> quota_allocator::sweep() {
    if (!deps_.open_jobs.complete()) co_return result<void>();
    std::vector<job_id> left;
    for (const auto& [id, quota] : kept_.jobs()) {
        if (left.size() == options_.removed_a_sweep) break;
        if (!limited_.contains(id) && !awaited_.contains(id)) left.push_back(id);
    }
    for (const auto id : left) {
        // The book is a moment behind the ledger: the job may be one that it does not know yet.
        const auto stored = co_await within(deps_.clock, options_.timeout, deps_.jobs.find(id));
        if (!stored && stored.error().code() != errc::not_found) co_return fail(stored.error());
        if (stored && !is_end(stored->record.stage)) continue;
        CO_CHECK_OK(co_await remove(id));
    }
    co_return result<void>();
}

async<void> quota_allocator::remove(job_id job) {
    const auto* const quota = kept_.find(job);
    if (quota == nullptr) co_return result<void>();
    const auto keys = quota->keys(job);
    for (std::size_t from = 0; from < keys.size(); from += kv::limits::operations_max) {
        kv::transaction change;
        const auto end = std::min(keys.size(), from + kv::limits::operations_max);
        for (std::size_t at = from; at < end; ++at) change.then.emplace_back(kv::erase{keys[at]});
        CO_TRY(
            const auto verdict,
            co_await within(
                deps_.clock, options_.timeout, deps_.metastore.commit(std::move(change))));
        awaited_[job] = verdict.at;
    }
    co_return result<void>();
}

boost::asio::awaitable<void> quota_allocator::run(const std::atomic<bool>& active) {
    bool well = true;
    while (true) {
        if (!active) {
            kept_.forget();
            known_.reset();
        } else {
            auto touched = co_await kept_.follow(options_.interval);
            auto done = touched ? co_await look(*std::move(touched)) : fail(touched.error());
            if (done) {
                well = true;
                continue;
            }
            if (done.error().code() == errc::cancelled) co_return;
            if (std::exchange(well, false))
                deps_.log.warning(
                    "cannot share out the limits of jobs", {{"reason", to_string(done.error())}});
            kept_.forget();
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::jobs
