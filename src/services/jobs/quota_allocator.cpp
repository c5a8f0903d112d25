#include "services/jobs/quota_allocator.h"

#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {
namespace {

// The plan key takes one entry of each list of a transaction.
constexpr std::size_t changes_max =
    std::min(kv::limits::conditions_max, kv::limits::operations_max) - 1;

kv::transaction build_transaction(
    job_id job,
    const job_quota& quota,
    const plan_record& plan,
    const std::vector<rollout::grant_change>& changes) {
    kv::transaction transaction;
    const auto require = [&transaction](std::string key, const auto* existing) {
        if (existing == nullptr) {
            transaction.when.emplace_back(kv::absent{std::move(key)});
        } else {
            transaction.when.emplace_back(kv::unchanged{std::move(key), existing->revision});
        }
    };
    require(plan_key(job), quota.plan ? &*quota.plan : nullptr);
    transaction.then.emplace_back(kv::put{.key = plan_key(job), .value = encode(plan)});
    for (const auto& change : changes) {
        const auto it = quota.grants.find(change.node.str());
        require(grant_key(change.node, job), it == quota.grants.end() ? nullptr : &it->second);
        transaction.then.emplace_back(
            kv::put{.key = grant_key(change.node, job), .value = encode(change.updated)});
    }
    return transaction;
}

}  // namespace

quota_allocator::quota_allocator(dependencies deps, options options)
    : deps_(deps),
      options_(options),
      quotas_(deps.metastore, deps.clock, deps.log, std::string(cluster::keys::rollout)) {}

// An offline node starts no tasks, whatever its last report says.
std::vector<rollout::node_view> quota_allocator::views_of(const job_quota& quota) const {
    auto states = node_states_;
    std::erase_if(states, [&quota](const auto& entry) {
        return !entry.second.owns_slots && !quota.grants.contains(entry.first);
    });
    for (const auto& [node, grant] : quota.grants) states.try_emplace(node, removed_node);
    std::vector<rollout::node_view> views;
    for (const auto& [name, state] : states) {
        rollout::node_view view{
            .node = node_id(name),
            .record = {},
            .report = {},
            .owns_slots = state.owns_slots,
            .epoch = state.epoch,
            .slots_changed = state.changed,
            .gone = state.gone};
        const auto grant = quota.grants.find(name);
        if (grant != quota.grants.end()) view.record = grant->second.record;
        const auto report = quota.reports.find(name);
        if (report != quota.reports.end()) view.report = report->second;
        if (view.report && !state.online) view.report->startable = 0;
        views.push_back(std::move(view));
    }
    return views;
}

async<bool> quota_allocator::plan_job(std::shared_ptr<const open_job> job) {
    static const job_quota no_quota;
    const auto id = job->record.job;
    const auto* const stored = quotas_.find(id);
    const auto& quota = stored != nullptr ? *stored : no_quota;
    const auto limits = limits_of(job->record);
    if (!limits || !quota.unreadable.empty()) co_return true;
    const auto own_write = own_writes_.find(id);
    if (own_write != own_writes_.end() && own_write->second > quotas_.revision()) co_return false;
    if (quota.plan && quota.plan->record.topology > topology_->revision) co_return false;
    const auto changes = rollout::plan_grants(*limits, views_of(quota), changes_max);
    if (changes.empty()) co_return true;
    CO_TRY(
        const auto outcome,
        co_await within(
            deps_.clock,
            options_.timeout,
            deps_.metastore.commit(
                build_transaction(id, quota, {.topology = topology_->revision}, changes))));
    if (outcome.committed) own_writes_[id] = outcome.at;
    co_return false;  // refused: another server wrote records that the cache does not contain yet
}

void quota_allocator::collect_changes() {
    auto topology = deps_.topology.read();
    const bool topology_changed = topology != topology_;
    if (topology_changed) {
        topology_ = std::move(topology);
        node_states_ = read_quota_states(*topology_);
    }
    auto previous = std::exchange(limited_jobs_, {});
    for (auto& job : deps_.open_jobs.all()) {
        const auto id = job->record.job;
        if (!limits_of(job->record)) continue;
        const auto it = previous.find(id);
        if (topology_changed || it == previous.end() || it->second != job) due_jobs_.insert(id);
        limited_jobs_.emplace(id, std::move(job));
    }
    std::erase_if(due_jobs_, [this](job_id id) { return !limited_jobs_.contains(id); });
    std::erase_if(
        own_writes_, [this](const auto& entry) { return entry.second <= quotas_.revision(); });
}

async<void> quota_allocator::run_once(std::set<job_id> changed_jobs) {
    due_jobs_.merge(changed_jobs);
    collect_changes();
    if (topology_->revision == kv::revision())
        co_return result<void>();  // the topology is not read yet
    std::size_t plan_count = 0;
    for (const auto id : std::set<job_id>(due_jobs_)) {
        if (plan_count++ == options_.plans_per_run) break;
        CO_TRY(const bool done, co_await plan_job(limited_jobs_.at(id)));
        if (done) due_jobs_.erase(id);
    }
    if (deps_.clock.now() < next_removal_) co_return result<void>();
    next_removal_ = deps_.clock.now() + options_.removal_interval;
    co_return co_await remove_ended_jobs();
}

// Deletes the quota records of ended jobs, also those that a node wrote after the end.
async<void> quota_allocator::remove_ended_jobs() {
    if (!deps_.open_jobs.is_complete()) co_return result<void>();
    std::vector<job_id> unused;
    for (const auto& [id, quota] : quotas_.jobs()) {
        if (unused.size() == options_.removals_per_run) break;
        if (!limited_jobs_.contains(id) && !own_writes_.contains(id)) unused.push_back(id);
    }
    for (const auto id : unused) {
        // The job cache is behind the ledger: the job may be new.
        const auto stored = co_await within(deps_.clock, options_.timeout, deps_.jobs.find(id));
        if (!stored && stored.error().code() != errc::not_found) co_return fail(stored.error());
        if (stored && !is_final(stored->record.stage)) continue;
        CO_CHECK_OK(co_await remove(id));
    }
    co_return result<void>();
}

async<void> quota_allocator::remove(job_id job) {
    const auto* const quota = quotas_.find(job);
    if (quota == nullptr) co_return result<void>();
    const auto keys = quota->keys(job);
    for (std::size_t first = 0; first < keys.size(); first += kv::limits::operations_max) {
        kv::transaction change;
        const auto end = std::min(keys.size(), first + kv::limits::operations_max);
        for (std::size_t index = first; index < end; ++index)
            change.then.emplace_back(kv::erase{keys[index]});
        CO_TRY(
            const auto outcome,
            co_await within(
                deps_.clock, options_.timeout, deps_.metastore.commit(std::move(change))));
        own_writes_[job] = outcome.at;
    }
    co_return result<void>();
}

boost::asio::awaitable<void> quota_allocator::run(const std::atomic<bool>& active) {
    bool healthy = true;
    while (true) {
        if (!active) {
            quotas_.reset();
            topology_.reset();
        } else {
            auto changed_jobs = co_await quotas_.follow(options_.interval);
            auto done = changed_jobs ? co_await run_once(*std::move(changed_jobs))
                                     : fail(changed_jobs.error());
            if (done) {
                healthy = true;
                continue;
            }
            if (done.error().code() == errc::cancelled) co_return;
            if (std::exchange(healthy, false))
                deps_.log.warning(
                    "job quota allocation failed", {{"error", to_string(done.error())}});
            quotas_.reset();
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::jobs
