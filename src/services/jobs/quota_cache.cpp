#include "services/jobs/quota_cache.h"

#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

constexpr auto read_timeout = 10s;
constexpr std::size_t page_entries = 1'000;

}  // namespace

std::vector<std::string> job_quota::keys(job_id job) const {
    std::vector<std::string> keys(unreadable.begin(), unreadable.end());
    if (plan) keys.push_back(plan_key(job));
    for (const auto& [node, record] : grants) keys.push_back(grant_key(node_id(node), job));
    for (const auto& [node, record] : reports) keys.push_back(report_key(node_id(node), job));
    std::ranges::sort(keys);
    const auto duplicates = std::ranges::unique(keys);
    keys.erase(duplicates.begin(), duplicates.end());
    return keys;
}

const job_quota* quota_cache::find(job_id job) const {
    const auto it = jobs_.find(job);
    return it == jobs_.end() ? nullptr : &it->second;
}

template <class Record>
bool quota_cache::check_readable(
    job_quota& quota, const kv::entry& entry, const result<Record>& record) {
    quota.unreadable.erase(entry.key);
    if (record) return true;
    quota.unreadable.insert(entry.key);
    log_.error(
        "unreadable job limit record; tasks of the job do not start",
        {{"key", entry.key}, {"error", to_string(record.error())}});
    return false;
}

std::optional<job_id> quota_cache::apply(const kv::entry& entry) {
    const auto key = parse_quota_key(entry.key);
    if (!key) return std::nullopt;
    auto& quota = jobs_[key->job];
    switch (key->kind) {
        case quota_key::record_kind::grant: {
            auto record = decode_grant(entry.value);
            if (check_readable(quota, entry, record))
                quota.grants.insert_or_assign(
                    key->node, versioned{*std::move(record), entry.modified});
            break;
        }
        case quota_key::record_kind::report: {
            auto record = decode_share_report(entry.value);
            if (check_readable(quota, entry, record))
                quota.reports.insert_or_assign(key->node, *std::move(record));
            break;
        }
        case quota_key::record_kind::plan: {
            const auto record = decode_plan(entry.value);
            if (check_readable(quota, entry, record))
                quota.plan = versioned{*record, entry.modified};
            break;
        }
    }
    return key->job;
}

std::optional<job_id> quota_cache::erase(const std::string& key) {
    const auto parsed = parse_quota_key(key);
    if (!parsed) return std::nullopt;
    const auto it = jobs_.find(parsed->job);
    if (it == jobs_.end()) return std::nullopt;
    it->second.unreadable.erase(key);
    if (parsed->kind == quota_key::record_kind::grant) it->second.grants.erase(parsed->node);
    if (parsed->kind == quota_key::record_kind::report) it->second.reports.erase(parsed->node);
    if (parsed->kind == quota_key::record_kind::plan) it->second.plan.reset();
    if (it->second.empty()) jobs_.erase(it);
    return parsed->job;
}

async<kv::revision> quota_cache::read_under(std::string prefix, std::vector<kv::entry>* entries) {
    kv::range_request request{.prefix = std::move(prefix), .limit = page_entries};
    std::optional<kv::revision> first;
    while (true) {
        CO_TRY(auto page, co_await within(clock_, read_timeout, metastore_.range(request)));
        if (!first) first = page.at;
        if (!page.entries.empty()) request.after = page.entries.back().key;
        const bool more = page.more && !page.entries.empty();
        std::ranges::move(page.entries, std::back_inserter(*entries));
        if (!more) co_return *first;
    }
}

// Pages are of different revisions, so plan keys are read first. If another server plans meanwhile,
// the cached plan key is outdated, and plans that require it are refused. The watch starts at the
// revision of the first page and delivers what changed since.
async<std::set<job_id>> quota_cache::read_all() {
    std::vector<kv::entry> plans;
    std::vector<kv::entry> entries;
    std::optional<kv::revision> plans_revision;
    if (cluster::keys::rollout_plans.starts_with(prefix_)) {
        CO_TRY(
            plans_revision, co_await read_under(std::string(cluster::keys::rollout_plans), &plans));
    }
    CO_TRY(const auto entries_revision, co_await read_under(prefix_, &entries));
    std::erase_if(entries, [](const kv::entry& entry) {
        return entry.key.starts_with(cluster::keys::rollout_plans);
    });
    std::set<job_id> changed_jobs;
    for (const auto& [job, quota] : std::exchange(jobs_, {})) changed_jobs.insert(job);
    for (const auto* const entry_list : {&plans, &entries})
        for (const auto& entry : *entry_list)
            if (const auto job = apply(entry)) changed_jobs.insert(*job);
    revision_ = plans_revision.value_or(entries_revision);
    watch_ = metastore_.watch(prefix_, revision_.next());
    co_return changed_jobs;
}

async<std::set<job_id>> quota_cache::follow(monotonic::duration timeout) {
    if (!watch_) co_return co_await read_all();
    const auto response = co_await within(clock_, timeout, watch_->next());
    if (!response) {
        if (response.error().code() == errc::timed_out) co_return std::set<job_id>();
        reset();
        co_return fail(response.error());
    }
    const auto* const batch = std::get_if<kv::change_batch>(&*response);
    if (batch == nullptr) co_return co_await read_all();  // the history is gone
    std::set<job_id> changed_jobs;
    for (const auto& change : batch->changes) {
        const auto* const written = std::get_if<kv::written>(&change);
        const auto job = written != nullptr ? apply(written->entry) : erase(kv::key_of(change));
        if (job) changed_jobs.insert(*job);
    }
    revision_ = std::max(revision_, batch->up_to);
    co_return changed_jobs;
}

}  // namespace muster::jobs
