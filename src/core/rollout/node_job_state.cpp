#include "core/rollout/node_job_state.h"

#include "base/assert.h"

#include <algorithm>
#include <string>

namespace muster::rollout {
namespace {

constexpr std::size_t candidates_max = 256;
constexpr std::size_t self_index = 0;

std::uint32_t bits_of(system_number system) {
    return static_cast<std::uint32_t>(system.value());
}

system_number number_of(std::uint32_t bits) {
    return system_number(std::int64_t{bits});
}

}  // namespace

job_terms terms_of(const job_record& record, wall_time wall_now, instant now) {
    return {
        .job = record.job,
        .rollout = record.spec.rollout,
        .period = period_of(record.spec, record.job, wall_now, now),
        .timeout = record.spec.timeout,
        .may_run_again = record.spec.may_run_again,
        .targets = record.targets,
        .limited = record.spec.function != "test.ping"};
}

node_job_state::node_job_state(job_terms terms, node_id self) : terms_(std::move(terms)) {
    opens_at_ = terms_.period.opens;
    starters_.push_back(std::move(self));
    charged_.push_back(0);
    // A limited job may not start anything before set_allowance().
    if (concurrency_of(terms_.rollout, terms_.targets)) concurrency_max_ = 0;
    if (starts_milli_of(terms_.rollout)) starts_milli_ = 0;
}

std::size_t node_job_state::index_of(const node_id& starter) {
    const auto it = std::ranges::find(starters_, starter);
    const auto index = static_cast<std::size_t>(it - starters_.begin());
    if (it == starters_.end()) {
        starters_.push_back(starter);
        charged_.push_back(0);
    }
    return index;
}

bool node_job_state::is_permitted(system_number system) const {
    if (std::holds_alternative<start_none>(permission_)) return false;
    if (outside_window_.contains(system)) return false;
    const auto* canaries = std::get_if<canaries_only>(&permission_);
    return canaries == nullptr || canaries->systems.contains(system);
}

fleet::system_set node_job_state::filter_permitted(const fleet::system_set& free) const {
    if (std::holds_alternative<start_none>(permission_)) return {};
    fleet::system_set permitted = pending_ & free;
    permitted -= outside_window_;
    if (const auto* canaries = std::get_if<canaries_only>(&permission_))
        permitted &= canaries->systems;
    return permitted;
}

void node_job_state::add_share(share share, const fleet::system_set& free, instant now) {
    fleet::system_set queued = std::move(share.targets);
    queued -= share.completed;
    queued -= share.failed;
    completed_ |= share.completed;
    failed_ |= share.failed;
    failed_count_ = failed_.size();
    // A repeated load may be older than the state here.
    queued -= completed_;
    queued -= failed_;
    for (const auto& [retry_at, bits] : retries_) queued.remove(number_of(bits));
    for (const auto& [bits, task] : tasks_) queued.remove(number_of(bits));
    for (const running_task& running : share.running) {
        queued.remove(running.system);
        if (completed_.contains(running.system) || failed_.contains(running.system)) continue;
        // An overdue task is queried soon, because its last node may not have done so.
        const instant ask_at = std::max(now, running.started + terms_.timeout);
        add_in_flight(
            running.system,
            {.attempt = running.attempt,
             .starter = index_of(running.starter),
             .query_at = ask_at,
             .started = running.started});
    }
    if (is_final(stage_) || stage_ == job_stage::cancelling) return;
    for (const waiting_task& waiting : share.waiting) restore_waiting(waiting, queued, now);
    pending_ |= queued;
    ready_ |= filter_permitted(free) & queued;
    if (!terms_.rollout.on_return && !away_check_) away_check_ = now + away_timeout;
}

// The record does not say how many attempts were begun; assumes as many as the job has retries.
void node_job_state::restore_waiting(
    const waiting_task& waiting, fleet::system_set& queued, instant now) {
    if (!queued.contains(waiting.system)) return;
    attempts_[bits_of(waiting.system)] = waiting.attempt;
    const auto begun = std::min(waiting.attempt - 1, terms_.rollout.retries);
    if (begun == 0 || pending_.contains(waiting.system)) return;
    const auto due = waiting.since + retry_wait(begun);
    if (due <= now) return;
    retries_.emplace(due, bits_of(waiting.system));
    queued.remove(waiting.system);
}

std::vector<system_number> node_job_state::remove_systems(
    const fleet::system_set& systems, std::int64_t epoch) {
    pending_ -= systems;
    ready_ -= systems;
    outside_window_ -= systems;
    away_ -= systems;
    completed_ -= systems;
    failed_ -= systems;
    failed_count_ = failed_.size();
    const auto is_lost = [&systems](std::uint32_t bits) {
        return systems.contains(number_of(bits));
    };
    std::erase_if(attempts_, [&is_lost](const auto& entry) { return is_lost(entry.first); });
    std::erase_if(unstarted_, [&is_lost](const auto& entry) { return is_lost(entry.first); });
    std::erase_if(retries_, [&is_lost](const auto& entry) { return is_lost(entry.second); });
    std::vector<system_number> ended;
    for (auto it = tasks_.begin(); it != tasks_.end();) {
        const auto next = std::next(it);
        if (is_lost(it->first)) {
            ended.push_back(number_of(it->first));
            if (it->second.starter == self_index) ++moved_away_[epoch];
            --charged_[it->second.starter];
            queries_.erase({it->second.query_at, it->first});
            tasks_.erase(it);
        }
        it = next;
    }
    return ended;
}

void node_job_state::set_stage(job_stage stage, bool kill_running, effects& out) {
    if (!is_final(stage_) && stage_ != job_stage::cancelling) {
        if (stage == job_stage::open || stage == job_stage::paused)
            stage_ = stage;
        else
            stop_starting(stage);
    }
    kill_running_ = kill_running_ || kill_running;
    if (!kill_running) return;
    for (const auto& [bits, task] : tasks_)
        out.emplace_back(kill{{terms_.job, number_of(bits), task.attempt}});
}

void node_job_state::set_permission(permission permission, const fleet::system_set& free) {
    permission_ = std::move(permission);
    ready_ = filter_permitted(free);
    cursor_ = 0;
    candidates_.clear();
}

void node_job_state::close_window(const fleet::system_set& systems) {
    outside_window_ |= systems;
    ready_ -= systems;
}

void node_job_state::open_window(const fleet::system_set& systems, const fleet::system_set& free) {
    outside_window_ -= systems;
    ready_ |= filter_permitted(free & systems);
}

void node_job_state::set_allowance(allowance allowance, tasks_elsewhere elsewhere) {
    if (concurrency_max_) concurrency_max_ = allowance.concurrency;
    if (starts_milli_) starts_milli_ = allowance.starts_milli;
    rate_retry_at_.reset();
    elsewhere_ = elsewhere.count;
    moved_away_.erase(moved_away_.begin(), moved_away_.upper_bound(elsewhere.epoch));
}

void node_job_state::refresh(system_number system, bool free) {
    if (free && pending_.contains(system) && is_permitted(system))
        ready_.add(system);
    else
        ready_.remove(system);
}

void node_job_state::on_attached(system_number system, instant now, effects& out) {
    away_.remove(system);
    const auto it = tasks_.find(bits_of(system));
    if (it == tasks_.end()) return;
    const attempt_key key{terms_.job, system, it->second.attempt};
    if (kill_running_)
        out.emplace_back(kill{key});  // it was detached when the others were killed
    else if (!it->second.accepted)
        out.push_back(may_begin(now) ? effect(resend_task{key}) : effect(query_task{key}));
    else if (now - it->second.started >= terms_.timeout)
        out.emplace_back(query_task{key});
}

std::uint64_t node_job_state::used_concurrency() const {
    std::uint64_t moved_away = 0;
    for (const auto& [epoch, count] : moved_away_) moved_away += count;
    return charged_[self_index] + blocked_until_.size() + moved_away + elsewhere_;
}

bool node_job_state::can_start(instant now) const {
    if (stage_ != job_stage::open || ready_.empty()) return false;
    if (now < terms_.period.opens || now >= terms_.period.expires) return false;
    if (starts_milli_ && *starts_milli_ == 0) return false;
    if (rate_retry_at_ && now < *rate_retry_at_) return false;
    if (refused_until_ && now < *refused_until_) return false;
    return !concurrency_max_ || used_concurrency() < *concurrency_max_;
}

std::optional<system_number> node_job_state::next_candidate() {
    while (!ready_.empty()) {
        while (!candidates_.empty()) {
            const auto system = number_of(candidates_.back());
            candidates_.pop_back();
            if (ready_.contains(system)) return system;
        }
        candidates_.resize(candidates_max);
        candidates_.resize(ready_.read(system_number(cursor_), candidates_));
        cursor_ = candidates_.empty() ? 0 : std::int64_t{candidates_.back()} + 1;
        if (cursor_ > UINT32_MAX) cursor_ = 0;
        std::ranges::reverse(candidates_);
    }
    return std::nullopt;
}

std::optional<attempt_key> node_job_state::start_next(std::uint64_t ticket, instant now) {
    MUSTER_ASSERT(can_start(now));
    if (starts_milli_) {
        const access::rate rate{
            .interval = monotonic::duration(std::chrono::seconds(1000)) / *starts_milli_,
            .burst = static_cast<std::uint32_t>(
                std::clamp<std::uint64_t>(*starts_milli_ / 1000 / burst_divisor, 1, UINT32_MAX))};
        if (const auto wait = meter_.take(rate, now)) {
            rate_retry_at_ = now + *wait;
            return std::nullopt;
        }
    }
    const auto system = next_candidate();
    MUSTER_ASSERT(system.has_value());
    pending_.remove(*system);
    ready_.remove(*system);
    std::uint32_t attempt = 1;
    if (const auto it = attempts_.find(bits_of(*system)); it != attempts_.end()) {
        attempt = it->second;
        attempts_.erase(it);
    }
    add_in_flight(
        *system,
        {.attempt = attempt, .ticket = ticket, .query_at = now + terms_.timeout, .started = now});
    return attempt_key{terms_.job, *system, attempt};
}

void node_job_state::add_in_flight(system_number system, task entry) {
    const auto bits = bits_of(system);
    const bool added = tasks_.emplace(bits, entry).second;
    if (!added) return;  // the same running task was loaded twice
    queries_.emplace(entry.query_at, bits);
    ++charged_[entry.starter];
}

void node_job_state::remove_in_flight(task_map::iterator it, instant now) {
    if (terms_.rollout.batch_wait.count() > 0 && it->second.starter == self_index)
        blocked_until_.push_back(now + terms_.rollout.batch_wait);
    queries_.erase({it->second.query_at, it->first});
    --charged_[it->second.starter];
    tasks_.erase(it);
}

node_job_state::task_map::iterator node_job_state::find(const attempt_key& task) {
    const auto it = tasks_.find(bits_of(task.system));
    if (it == tasks_.end() || it->second.attempt != task.attempt) return tasks_.end();
    return it;
}

void node_job_state::stop_starting(job_stage stage) {
    stage_ = stage;
    pending_ = {};
    ready_ = {};
    away_ = {};
    away_check_.reset();
    candidates_.clear();
    attempts_.clear();
    unstarted_.clear();
    retries_.clear();
}

bool node_job_state::is_idle() const {
    return pending_.empty() && tasks_.empty() && retries_.empty();
}

std::vector<system_number> node_job_state::systems_in_flight() const {
    std::vector<system_number> systems;
    systems.reserve(tasks_.size());
    for (const auto& [bits, task] : tasks_) systems.push_back(number_of(bits));
    return systems;
}

share_report node_job_state::report(instant now) const {
    const bool is_open = stage_ == job_stage::open && now >= terms_.period.opens;
    share_report report{
        .startable = is_open ? ready_.size() : 0,
        .queued = pending_.size() + retries_.size(),
        .running = tasks_.size(),
        .used = used_concurrency(),
        .unsettled_epoch = moved_away_.empty() ? 0 : moved_away_.rbegin()->first,
        .completed = completed_.size(),
        .failed = failed_count_};
    if (const auto* canaries = std::get_if<canaries_only>(&permission_))
        report.canaries_completed = completed_.common_with(canaries->systems);
    for (std::size_t index = 0; index < starters_.size(); ++index)
        if (charged_[index] > 0) report.charged[starters_[index]] = charged_[index];
    return report;
}

}  // namespace muster::rollout
