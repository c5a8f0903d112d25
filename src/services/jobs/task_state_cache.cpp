#include "services/jobs/task_state_cache.h"

#include "services/jobs/job_tables.h"

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace muster::jobs {
namespace {

// Runs an action at the end of a scope.
class scope_exit {
public:
    explicit scope_exit(std::function<void()> action) : action_(std::move(action)) {}
    scope_exit(const scope_exit&) = delete;
    scope_exit& operator=(const scope_exit&) = delete;
    ~scope_exit() { action_(); }

private:
    std::function<void()> action_;
};

}  // namespace

task_state_cache::task_state_cache(job_store& jobs, runtime::logger& log, options options)
    : job_store_(jobs),
      options_(options),
      rows_(
          {.ledger = jobs.ledger(), .clock = jobs.clock(), .log = log},
          {.table = std::string(tasks_table),
           .page_rows = options.page_rows,
           .wait_max = options.timeout},
          &decode_task,
          [this](const std::vector<stored_task>& rows) { apply(rows); }) {}

std::size_t task_state_cache::job_count() const {
    const std::scoped_lock lock(mutex_);
    return jobs_.size();
}

std::optional<std::uint64_t> task_state_cache::changes(job_id job) const {
    const std::scoped_lock lock(mutex_);
    const auto it = jobs_.find(job);
    if (it == jobs_.end() || it->second.loading) return std::nullopt;
    return it->second.changes;
}

// Copies the sets once between two changes.
std::shared_ptr<const task_state_cache::job_task_states> task_state_cache::snapshot_of(
    entry& entry) {
    entry.used = job_store_.clock().now();
    if (!entry.snapshot || entry.snapshot->changes != entry.changes)
        entry.snapshot = std::make_shared<const job_task_states>(
            job_task_states{.sets = entry.sets, .meter = entry.meter, .changes = entry.changes});
    return entry.snapshot;
}

std::shared_ptr<const task_state_cache::job_task_states> task_state_cache::peek(job_id job) {
    const std::scoped_lock lock(mutex_);
    const auto it = jobs_.find(job);
    if (it == jobs_.end() || it->second.loading) return nullptr;
    return snapshot_of(it->second);
}

task_state_cache::load_ticket task_state_cache::begin_load(job_id job) {
    const std::scoped_lock lock(mutex_);
    if (!ready_) return {.role = load_role::waiter, .since = 0};
    const auto it = jobs_.find(job);
    if (it != jobs_.end())
        return {.role = it->second.loading ? load_role::waiter : load_role::done, .since = 0};
    evict_excess();
    jobs_[job].used = job_store_.clock().now();
    return {.role = load_role::loader, .since = rows_.rows().position()};
}

void task_state_cache::evict_excess() {
    std::size_t bytes = 0;
    for (const auto& [job, entry] : jobs_) bytes += entry.sets.memory();
    while (jobs_.size() >= options_.jobs_max || bytes > options_.bytes_max) {
        auto oldest = jobs_.end();
        for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
            if (it->second.loading) continue;
            if (oldest == jobs_.end() || it->second.used < oldest->second.used) oldest = it;
        }
        if (oldest == jobs_.end()) return;  // all are being loaded: exceed the limit for a while
        bytes -= oldest->second.sets.memory();
        jobs_.erase(oldest);
    }
}

async<std::shared_ptr<const task_state_cache::job_task_states>> task_state_cache::read(job_id job) {
    while (true) {
        if (auto states = peek(job)) co_return states;
        const auto ticket = begin_load(job);
        if (ticket.role == load_role::done) continue;
        if (ticket.role == load_role::waiter) {
            CO_CHECK_OK(co_await job_store_.clock().sleep_for(options_.load_poll));
            continue;
        }
        // After a failed or cancelled load the next caller loads the job.
        const scope_exit cleanup([this, job] { discard_unfinished(job); });
        CO_TRY(auto loaded, co_await load(job, ticket.since));
        finish_load(job, std::move(loaded));
    }
}

// Both the load and the follower may read rows above `since`, in either order. The load remembers
// their sequences, so that finish_load() knows which row is newer.
async<task_state_cache::loaded_tasks> task_state_cache::load(job_id job, std::int64_t since) {
    CO_TRY(auto targets, co_await job_store_.find_targets(job));
    loaded_tasks loaded{.sets = task_sets(std::move(targets.systems)), .recent = {}};
    std::string after;
    do {
        CO_TRY(
            const auto page,
            co_await job_store_.read_tasks({.job = job, .states = {}}, after, options_.load_rows));
        for (const auto& task : page.tasks) {
            const system_number system(task.record.system);
            loaded.sets.set_state(system, task.record.state);
            if (task.sequence > since) loaded.recent[system] = task.sequence;
        }
        if (loaded.recent.size() > options_.changes_max)
            co_return fail(errc::unavailable, "job changed while its tasks were counted; retry");
        after = page.next;
    } while (!after.empty());
    co_return loaded;
}

void task_state_cache::finish_load(job_id job, loaded_tasks loaded) {
    const std::scoped_lock lock(mutex_);
    const auto it = jobs_.find(job);
    if (it == jobs_.end()) return;  // evicted: too many changes during the load
    auto& entry = it->second;
    entry.sets = std::move(loaded.sets);
    for (const auto& change : entry.pending) {
        const auto row = loaded.recent.find(change.system);
        if (row != loaded.recent.end() && row->second >= change.sequence) continue;
        entry.sets.set_state(change.system, change.state);
    }
    entry.pending = {};
    entry.loading = false;
    entry.changes = 1;
    entry.meter.add_sample(entry.sets.counts(job_stage::open).ended(), job_store_.clock().now());
}

void task_state_cache::discard_unfinished(job_id job) {
    const std::scoped_lock lock(mutex_);
    const auto it = jobs_.find(job);
    if (it != jobs_.end() && it->second.loading) jobs_.erase(it);
}

void task_state_cache::evict_unused() {
    const auto now = job_store_.clock().now();
    const std::scoped_lock lock(mutex_);
    std::erase_if(jobs_, [&](const auto& entry) {
        return !entry.second.loading && now - entry.second.used > options_.evict_after;
    });
}

bool task_state_cache::is_idle() const {
    const std::scoped_lock lock(mutex_);
    return !ready_ || jobs_.empty();
}

// Without cached jobs, older rows need not be read.
bool task_state_cache::skip_to(std::int64_t last) {
    const std::scoped_lock lock(mutex_);
    if (ready_ && !jobs_.empty()) return false;
    rows_.rows().skip_to(last);
    ready_ = true;
    return true;
}

void task_state_cache::apply(const std::vector<stored_task>& rows) {
    const auto now = job_store_.clock().now();
    std::set<job_id> changed_jobs;
    const std::scoped_lock lock(mutex_);
    for (const auto& row : rows) {
        const auto it = jobs_.find(row.record.job);
        if (it == jobs_.end()) continue;
        auto& entry = it->second;
        const system_number system(row.record.system);
        if (entry.loading) {
            entry.pending.push_back(
                {.sequence = row.sequence, .system = system, .state = row.record.state});
            if (entry.pending.size() > options_.changes_max) jobs_.erase(it);
            continue;
        }
        entry.sets.set_state(system, row.record.state);
        ++entry.changes;
        changed_jobs.insert(row.record.job);
    }
    for (const auto job : changed_jobs) {
        auto& entry = jobs_.at(job);
        entry.meter.add_sample(entry.sets.counts(job_stage::open).ended(), now);
    }
}

async<void> task_state_cache::refresh() {
    evict_unused();
    if (is_idle()) {
        CO_TRY(const auto last, co_await rows_.rows().newest());
        if (skip_to(last)) co_return result<void>();
    }
    co_return co_await rows_.refresh();
}

async<void> task_state_cache::wait() {
    if (job_count() == 0) return job_store_.clock().sleep_for(options_.idle_interval);
    return rows_.rows().wait();
}

}  // namespace muster::jobs
