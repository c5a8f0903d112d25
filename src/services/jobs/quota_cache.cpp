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
    std::vector<std::string> all(unreadable.begin(), unreadable.end());
    if (plan) all.push_back(plan_key(job));
    for (const auto& [node, record] : grants) all.push_back(grant_key(node_id(node), job));
    for (const auto& [node, record] : reports) all.push_back(report_key(node_id(node), job));
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
    return all;
}

const job_quota* quota_cache::find(job_id job) const {
    const auto it = jobs_.find(job);
    return it == jobs_.end() ? nullptr : &it->second;
}

template <class Record>
bool quota_cache::readable(job_quota& of, const kv::entry& from, const result<Record>& read) {
    of.unreadable.erase(from.key);
    if (read) return true;
    of.unreadable.insert(from.key);
    log_.error(
        "a record of a job's limits cannot be read; the job starts no more until it is put right",
        {{"key", from.key}, {"reason", to_string(read.error())}});
    return false;
}

std::optional<job_id> quota_cache::apply(const kv::entry& now) {
    const auto key = parse_quota_key(now.key);
    if (!key) return std::nullopt;
    auto& of = jobs_[key->job];
    switch (key->what) {
        case quota_key::kind::grant: {
            auto read = decode_grant(now.value);
            if (readable(of, now, read))
                of.grants.insert_or_assign(key->node, dated{*std::move(read), now.modified});
            break;
        }
        case quota_key::kind::report: {
            auto read = decode_share_report(now.value);
            if (readable(of, now, read)) of.reports.insert_or_assign(key->node, *std::move(read));
            break;
        }
        case quota_key::kind::plan: {
            const auto read = decode_plan(now.value);
            if (readable(of, now, read)) of.plan = dated{*read, now.modified};
            break;
        }
    }
    return key->job;
}

std::optional<job_id> quota_cache::erase(const std::string& key) {
    const auto parsed = parse_quota_key(key);
    if (!parsed) return std::nullopt;
    const auto of = jobs_.find(parsed->job);
    if (of == jobs_.end()) return std::nullopt;
    of->second.unreadable.erase(key);
    if (parsed->what == quota_key::kind::grant) of->second.grants.erase(parsed->node);
    if (parsed->what == quota_key::kind::report) of->second.reports.erase(parsed->node);
    if (parsed->what == quota_key::kind::plan) of->second.plan.reset();
    if (of->second.empty()) jobs_.erase(of);
    return parsed->job;
}

async<kv::revision> quota_cache::read_under(std::string prefix, std::vector<kv::entry>* into) {
    kv::range_request next{.prefix = std::move(prefix), .limit = page_entries};
    std::optional<kv::revision> first;
    while (true) {
        CO_TRY(auto page, co_await within(clock_, read_timeout, metastore_.range(next)));
        if (!first) first = page.at;
        if (!page.entries.empty()) next.after = page.entries.back().key;
        const bool more = page.more && !page.entries.empty();
        std::ranges::move(page.entries, std::back_inserter(*into));
        if (!more) co_return *first;
    }
}

// Pages are of different revisions, so plan keys are read before everything else: if somebody plans
// meanwhile, ours is an old one, and whoever plans by this book is refused until the watch, which
// begins where the reading began, has told the rest.
async<std::set<job_id>> quota_cache::read_all() {
    std::vector<kv::entry> plans;
    std::vector<kv::entry> entries;
    std::optional<kv::revision> first;
    if (cluster::keys::rollout_plans.starts_with(prefix_)) {
        CO_TRY(first, co_await read_under(std::string(cluster::keys::rollout_plans), &plans));
    }
    CO_TRY(const auto second, co_await read_under(prefix_, &entries));
    std::erase_if(entries, [](const kv::entry& entry) {
        return entry.key.starts_with(cluster::keys::rollout_plans);
    });
    std::set<job_id> touched;
    for (const auto& [job, quota] : std::exchange(jobs_, {})) touched.insert(job);
    for (const auto* const part : {&plans, &entries})
        for (const auto& each : *part)
            if (const auto job = apply(each)) touched.insert(*job);
    at_ = first.value_or(second);
    watch_ = metastore_.watch(prefix_, at_.next());
    co_return touched;
}

async<std::set<job_id>> quota_cache::follow(monotonic::duration timeout) {
    if (!watch_) co_return co_await read_all();
    const auto news = co_await within(clock_, timeout, watch_->next());
    if (!news) {
        if (news.error().code() == errc::timed_out) co_return std::set<job_id>();
        forget();
        co_return fail(news.error());
    }
    const auto* const batch = std::get_if<kv::change_batch>(&*news);
    if (batch == nullptr) co_return co_await read_all();  // the history is gone
    std::set<job_id> touched;
    for (const auto& change : batch->changes) {
        const auto* const written = std::get_if<kv::written>(&change);
        const auto job = written != nullptr ? apply(written->now) : erase(kv::key_of(change));
        if (job) touched.insert(*job);
    }
    at_ = std::max(at_, batch->up_to);
    co_return touched;
}

}  // namespace muster::jobs
