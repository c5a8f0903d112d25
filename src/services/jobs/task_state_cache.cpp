#include "services/jobs/task_state_cache.h"

#include "services/jobs/job_tables.h"

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace muster::jobs {
namespace {

// Does something at the end of a scope, whichever way that comes.
class given_up {
public:
    explicit given_up(std::function<void()> then) : then_(std::move(then)) {}
    given_up(const given_up&) = delete;
    given_up& operator=(const given_up&) = delete;
    ~given_up() { then_(); }

private:
    std::function<void()> then_;
};

}  // namespace

task_state_cache::task_state_cache(job_store& records, runtime::logger& log, options options)
    : job_store_(records),
      options_(options),
      rows_(
          {.ledger = records.records(), .clock = records.clock(), .log = log},
          {.table = std::string(tasks_table),
           .page_rows = options.page_rows,
           .wait_max = options.timeout},
          &decode_task,
          [this](const std::vector<stored_task>& rows) { apply(rows); }) {}

std::size_t task_state_cache::remembered() const {
    const std::scoped_lock lock(guard_);
    return jobs_.size();
}

std::optional<std::uint64_t> task_state_cache::changes(job_id job) const {
    const std::scoped_lock lock(guard_);
    const auto it = jobs_.find(job);
    if (it == jobs_.end() || it->second.loading) return std::nullopt;
    return it->second.changes;
}

// The sets are copied once for all who ask between two changes.
std::shared_ptr<const task_state_cache::state_of_job> task_state_cache::show(entry& of) {
    of.used = job_store_.clock().now();
    if (!of.shown || of.shown->changes != of.changes)
        of.shown = std::make_shared<const state_of_job>(
            state_of_job{.sets = of.sets, .meter = of.meter, .changes = of.changes});
    return of.shown;
}

std::shared_ptr<const task_state_cache::state_of_job> task_state_cache::peek(job_id job) {
    const std::scoped_lock lock(guard_);
    const auto it = jobs_.find(job);
    if (it == jobs_.end() || it->second.loading) return nullptr;
    return show(it->second);
}

task_state_cache::place task_state_cache::enter(job_id job) {
    const std::scoped_lock lock(guard_);
    if (!ready_) return {.as = role::waiter, .since = 0};
    const auto it = jobs_.find(job);
    if (it != jobs_.end())
        return {.as = it->second.loading ? role::waiter : role::done, .since = 0};
    make_room();
    jobs_[job].used = job_store_.clock().now();
    return {.as = role::reader, .since = rows_.rows().position()};
}

void task_state_cache::make_room() {
    std::size_t bytes = 0;
    for (const auto& [job, each] : jobs_) bytes += each.sets.memory();
    while (jobs_.size() >= options_.jobs_max || bytes > options_.bytes_max) {
        auto oldest = jobs_.end();
        for (auto each = jobs_.begin(); each != jobs_.end(); ++each) {
            if (each->second.loading) continue;
            if (oldest == jobs_.end() || each->second.used < oldest->second.used) oldest = each;
        }
        if (oldest == jobs_.end()) return;  // all are being read: a few more than the limit
        bytes -= oldest->second.sets.memory();
        jobs_.erase(oldest);
    }
}

async<std::shared_ptr<const task_state_cache::state_of_job>> task_state_cache::read(job_id job) {
    while (true) {
        if (auto there = peek(job)) co_return there;
        const auto own = enter(job);
        if (own.as == role::done) continue;
        if (own.as == role::waiter) {
            CO_CHECK_OK(co_await job_store_.clock().sleep_for(options_.load_look));
            continue;
        }
        // Whoever gives up in the middle leaves the reading to the next one.
        const given_up after([this, job] { forget_unread(job); });
        CO_TRY(auto read, co_await load(job, own.since));
        finish(job, std::move(read));
    }
}

// Rows behind `since` may be read here and by the follower, in either order. The reading remembers
// their sequence, so that finish() knows which of the two is the later one.
async<task_state_cache::loaded> task_state_cache::load(job_id job, std::int64_t since) {
    CO_TRY(auto who, co_await job_store_.audience(job));
    loaded read{.sets = task_sets(std::move(who.targets)), .recent = {}};
    std::string after;
    do {
        CO_TRY(
            const auto page,
            co_await job_store_.read_tasks({.job = job, .states = {}}, after, options_.load_rows));
        for (const auto& task : page.tasks) {
            const system_number system(task.record.system);
            read.sets.note(system, task.record.state);
            if (task.sequence > since) read.recent[system] = task.sequence;
        }
        if (read.recent.size() > options_.changes_max)
            co_return fail(errc::unavailable, "the job changes too fast to be counted; try again");
        after = page.next;
    } while (!after.empty());
    co_return read;
}

void task_state_cache::finish(job_id job, loaded read) {
    const std::scoped_lock lock(guard_);
    const auto it = jobs_.find(job);
    if (it == jobs_.end()) return;  // too much came meanwhile
    auto& of = it->second;
    of.sets = std::move(read.sets);
    for (const auto& each : of.meanwhile) {
        const auto newer = read.recent.find(each.system);
        if (newer != read.recent.end() && newer->second >= each.sequence) continue;
        of.sets.note(each.system, each.state);
    }
    of.meanwhile = {};
    of.loading = false;
    of.changes = 1;
    of.meter.note(of.sets.counts(job_stage::open).ended(), job_store_.clock().now());
}

void task_state_cache::forget_unread(job_id job) {
    const std::scoped_lock lock(guard_);
    const auto it = jobs_.find(job);
    if (it != jobs_.end() && it->second.loading) jobs_.erase(it);
}

void task_state_cache::forget_unused() {
    const auto now = job_store_.clock().now();
    const std::scoped_lock lock(guard_);
    std::erase_if(jobs_, [&](const auto& each) {
        return !each.second.loading && now - each.second.used > options_.forget_after;
    });
}

bool task_state_cache::idle() const {
    const std::scoped_lock lock(guard_);
    return !ready_ || jobs_.empty();
}

// Nobody asks for any job: what was written until now need not be read.
bool task_state_cache::skip_to(std::int64_t last) {
    const std::scoped_lock lock(guard_);
    if (ready_ && !jobs_.empty()) return false;
    rows_.rows().skip_to(last);
    ready_ = true;
    return true;
}

void task_state_cache::apply(const std::vector<stored_task>& rows) {
    const auto now = job_store_.clock().now();
    std::set<job_id> touched;
    const std::scoped_lock lock(guard_);
    for (const auto& row : rows) {
        const auto it = jobs_.find(row.record.job);
        if (it == jobs_.end()) continue;
        auto& of = it->second;
        const system_number system(row.record.system);
        if (of.loading) {
            of.meanwhile.push_back(
                {.sequence = row.sequence, .system = system, .state = row.record.state});
            if (of.meanwhile.size() > options_.changes_max) jobs_.erase(it);
            continue;
        }
        of.sets.note(system, row.record.state);
        ++of.changes;
        touched.insert(row.record.job);
    }
    for (const auto each : touched) {
        auto& of = jobs_.at(each);
        of.meter.note(of.sets.counts(job_stage::open).ended(), now);
    }
}

async<void> task_state_cache::catch_up() {
    forget_unused();
    if (idle()) {
        CO_TRY(const auto last, co_await rows_.rows().newest());
        if (skip_to(last)) co_return result<void>();
    }
    co_return co_await rows_.refresh();
}

async<void> task_state_cache::wait() {
    if (remembered() == 0) return job_store_.clock().sleep_for(options_.idle_look);
    return rows_.rows().wait();
}

}  // namespace muster::jobs
