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
        .when = span_of(record.spec, record.job, wall_now, now),
        .timeout = record.spec.timeout,
        .may_run_again = record.spec.may_run_again,
        .targets = record.targets,
        .takes_points = record.spec.function != "test.ping"};
}

node_job_state::node_job_state(job_terms terms, node_id self) : terms_(std::move(terms)) {
    opens_at_ = terms_.when.opens;
    starters_.push_back(std::move(self));
    charged_.push_back(0);
    // Nothing is allowed of a limited job before somebody says how much of the limit is ours.
    if (places_of(terms_.rollout, terms_.targets)) places_max_ = 0;
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

bool node_job_state::admits(system_number system) const {
    if (std::holds_alternative<nobody>(permission_)) return false;
    if (closed_.contains(system)) return false;
    const auto* canaries = std::get_if<canaries_only>(&permission_);
    return canaries == nullptr || canaries->systems.contains(system);
}

fleet::system_set node_job_state::admitted(const fleet::system_set& free) const {
    if (std::holds_alternative<nobody>(permission_)) return {};
    fleet::system_set system_set = pending_ & free;
    system_set -= closed_;
    if (const auto* canaries = std::get_if<canaries_only>(&permission_))
        system_set &= canaries->systems;
    return system_set;
}

void node_job_state::gain(share more, const fleet::system_set& free, instant now) {
    fleet::system_set queued = std::move(more.targets);
    queued -= more.completed;
    queued -= more.failed;
    completed_ |= more.completed;
    failed_ |= more.failed;
    failed_count_ = failed_.size();
    // What is told a second time may be older than what is known here.
    queued -= completed_;
    queued -= failed_;
    for (const auto& [when, bits] : retries_) queued.remove(number_of(bits));
    for (const auto& [bits, entry] : tasks_) queued.remove(number_of(bits));
    for (const running_task& running_task : more.running) {
        queued.remove(running_task.system);
        if (completed_.contains(running_task.system) || failed_.contains(running_task.system))
            continue;
        // Asked about soon if it is overdue: its last node may not have had the time.
        const instant ask_at = std::max(now, running_task.started + terms_.timeout);
        put_in_flight(
            running_task.system,
            {.attempt = running_task.attempt,
             .starter = index_of(running_task.starter),
             .ask_at = ask_at,
             .started = running_task.started});
    }
    if (is_end(stage_) || stage_ == job_stage::cancelling) return;
    for (const waiting_task& waiting_task : more.waiting) take_over(waiting_task, queued, now);
    pending_ |= queued;
    ready_ |= admitted(free) & queued;
    if (!terms_.rollout.on_return && !away_check_) away_check_ = now + away_timeout;
}

// How many of its attempts were begun the record does not tell: no more than the job's retries
// count.
void node_job_state::take_over(
    const waiting_task& waiting_task, fleet::system_set& queued, instant now) {
    if (!queued.contains(waiting_task.system)) return;
    attempts_[bits_of(waiting_task.system)] = waiting_task.attempt;
    const auto begun = std::min(waiting_task.attempt - 1, terms_.rollout.retries);
    if (begun == 0 || pending_.contains(waiting_task.system)) return;
    const auto due = waiting_task.since + retry_wait(begun);
    if (due <= now) return;
    retries_.emplace(due, bits_of(waiting_task.system));
    queued.remove(waiting_task.system);
}

std::vector<system_number> node_job_state::lose(
    const fleet::system_set& systems, std::int64_t epoch) {
    pending_ -= systems;
    ready_ -= systems;
    closed_ -= systems;
    away_ -= systems;
    completed_ -= systems;
    failed_ -= systems;
    failed_count_ = failed_.size();
    const auto lost = [&systems](std::uint32_t bits) {
        return systems.contains(number_of(bits));
    };
    std::erase_if(attempts_, [&lost](const auto& each) { return lost(each.first); });
    std::erase_if(unstarted_, [&lost](const auto& each) { return lost(each.first); });
    std::erase_if(retries_, [&lost](const auto& each) { return lost(each.second); });
    std::vector<system_number> left;
    for (auto at = tasks_.begin(); at != tasks_.end();) {
        const auto next = std::next(at);
        if (lost(at->first)) {
            left.push_back(number_of(at->first));
            if (at->second.starter == self_index) ++given_[epoch];
            --charged_[at->second.starter];
            asks_.erase({at->second.ask_at, at->first});
            tasks_.erase(at);
        }
        at = next;
    }
    return left;
}

void node_job_state::set_stage(job_stage to, bool kill_running, effects& out) {
    if (!is_end(stage_) && stage_ != job_stage::cancelling) {
        if (to == job_stage::open || to == job_stage::paused)
            stage_ = to;
        else
            stop_starting(to);
    }
    kill_running_ = kill_running_ || kill_running;
    if (!kill_running) return;
    for (const auto& [bits, entry] : tasks_)
        out.emplace_back(kill{{terms_.job, number_of(bits), entry.attempt}});
}

void node_job_state::permit(permission permission, const fleet::system_set& free) {
    permission_ = std::move(permission);
    ready_ = admitted(free);
    cursor_ = 0;
    candidates_.clear();
}

void node_job_state::close_gate(const fleet::system_set& systems) {
    closed_ |= systems;
    ready_ -= systems;
}

void node_job_state::open_gate(const fleet::system_set& systems, const fleet::system_set& free) {
    closed_ -= systems;
    ready_ |= admitted(free & systems);
}

void node_job_state::allow(allowance part, settlement settlement) {
    if (places_max_) places_max_ = part.places;
    if (starts_milli_) starts_milli_ = part.starts_milli;
    token_at_.reset();
    elsewhere_ = settlement.elsewhere;
    given_.erase(given_.begin(), given_.upper_bound(settlement.epoch));
}

void node_job_state::refresh(system_number system, bool free) {
    if (free && pending_.contains(system) && admits(system))
        ready_.add(system);
    else
        ready_.remove(system);
}

void node_job_state::attached(system_number system, instant now, effects& out) {
    away_.remove(system);
    const auto at = tasks_.find(bits_of(system));
    if (at == tasks_.end()) return;
    const attempt_key key{terms_.job, system, at->second.attempt};
    if (kill_running_)
        out.emplace_back(kill{key});  // it was away when the others were told; it answers to this
    else if (!at->second.accepted)
        out.push_back(may_begin(now) ? effect(send_again{key}) : effect(ask{key}));
    else if (now - at->second.started >= terms_.timeout)
        out.emplace_back(ask{key});
}

std::uint64_t node_job_state::used() const {
    std::uint64_t input = 0;
    for (const auto& [epoch, count] : given_) input += count;
    return charged_[self_index] + blocked_places_.size() + input + elsewhere_;
}

bool node_job_state::startable(instant now) const {
    if (stage_ != job_stage::open || ready_.empty()) return false;
    if (now < terms_.when.opens || now >= terms_.when.expires) return false;
    if (starts_milli_ && *starts_milli_ == 0) return false;
    if (token_at_ && now < *token_at_) return false;
    if (refused_until_ && now < *refused_until_) return false;
    return !places_max_ || used() < *places_max_;
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
    MUSTER_ASSERT(startable(now));
    if (starts_milli_) {
        const access::rate allowed{
            .interval = monotonic::duration(std::chrono::seconds(1000)) / *starts_milli_,
            .burst = static_cast<std::uint32_t>(
                std::clamp<std::uint64_t>(*starts_milli_ / 1000 / burst_divisor, 1, UINT32_MAX))};
        if (const auto wait = meter_.take(allowed, now)) {
            token_at_ = now + *wait;
            return std::nullopt;
        }
    }
    const auto system = next_candidate();
    MUSTER_ASSERT(system.has_value());
    pending_.remove(*system);
    ready_.remove(*system);
    std::uint32_t attempt = 1;
    if (const auto before = attempts_.find(bits_of(*system)); before != attempts_.end()) {
        attempt = before->second;
        attempts_.erase(before);
    }
    put_in_flight(
        *system,
        {.attempt = attempt, .ticket = ticket, .ask_at = now + terms_.timeout, .started = now});
    return attempt_key{terms_.job, *system, attempt};
}

void node_job_state::put_in_flight(system_number system, task entry) {
    const auto bits = bits_of(system);
    const bool fresh = tasks_.emplace(bits, entry).second;
    if (!fresh) return;  // told twice of the same running task
    asks_.emplace(entry.ask_at, bits);
    ++charged_[entry.starter];
}

void node_job_state::take_out(task_map::iterator at, instant now) {
    if (terms_.rollout.batch_wait.count() > 0 && at->second.starter == self_index)
        blocked_places_.push_back(now + terms_.rollout.batch_wait);
    asks_.erase({at->second.ask_at, at->first});
    --charged_[at->second.starter];
    tasks_.erase(at);
}

node_job_state::task_map::iterator node_job_state::find(const attempt_key& task) {
    const auto at = tasks_.find(bits_of(task.system));
    if (at == tasks_.end() || at->second.attempt != task.attempt) return tasks_.end();
    return at;
}

void node_job_state::stop_starting(job_stage to) {
    stage_ = to;
    pending_ = {};
    ready_ = {};
    away_ = {};
    away_check_.reset();
    candidates_.clear();
    attempts_.clear();
    unstarted_.clear();
    retries_.clear();
}

bool node_job_state::idle() const {
    return pending_.empty() && tasks_.empty() && retries_.empty();
}

std::vector<system_number> node_job_state::systems_in_flight() const {
    std::vector<system_number> systems;
    systems.reserve(tasks_.size());
    for (const auto& [bits, entry] : tasks_) systems.push_back(number_of(bits));
    return systems;
}

share_report node_job_state::report(instant now) const {
    const bool goes = stage_ == job_stage::open && now >= terms_.when.opens;
    share_report response{
        .startable = goes ? ready_.size() : 0,
        .queued = pending_.size() + retries_.size(),
        .running = tasks_.size(),
        .used = used(),
        .unsettled = given_.empty() ? 0 : given_.rbegin()->first,
        .completed = completed_.size(),
        .failed = failed_count_};
    if (const auto* canaries = std::get_if<canaries_only>(&permission_))
        response.canaries_completed = completed_.common_with(canaries->systems);
    for (std::size_t each = 0; each < starters_.size(); ++each)
        if (charged_[each] > 0) response.charged[starters_[each]] = charged_[each];
    return response;
}

}  // namespace muster::rollout
