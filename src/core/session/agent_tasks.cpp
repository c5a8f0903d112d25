#include "core/session/agent_tasks.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::session {
namespace {

using stage = journaled_task::stage;

constexpr std::chrono::seconds disk_pause{5};

task_ending refusal(std::string why) {
    return {.outcome = task_outcome::refused, .exit_code = -1, .reason = std::move(why)};
}

// By the wall clock, as far as the journal's times are another run's. A clock that was set back
// tells nothing, and then it is too late.
std::optional<instant> start_by_of(const journaled_task& task, agent_tasks::moment at) {
    if (task.order.start_within == monotonic::duration::zero()) return std::nullopt;
    if (at.wall < task.since) return at.now;
    return at.now + task.order.start_within - (at.wall - task.since);
}

}  // namespace

task_effects agent_tasks::start(
    std::vector<journaled_task> journaled_tasks, std::string boot, moment at) {
    MUSTER_ASSERT(all_.empty());
    boot_ = std::move(boot);
    gathering out{.at = at};
    std::ranges::sort(journaled_tasks, {}, &journaled_task::since);
    for (auto& each : journaled_tasks) {
        const auto name = each.order.name;
        entry entry{.kept = std::move(each), .on_disk = true, .began = at.now};
        resume(all_.insert_or_assign(name, std::move(entry)).first->second, out);
    }
    forget(out);
    start_next(out);
    return effects_of(std::move(out));
}

// Goes on with a task where the last run of the agent left it.
void agent_tasks::resume(entry& entry, gathering& out) {
    const auto& stored = entry.kept;
    entry.started = stored.report.started;
    entry.start_by = start_by_of(stored, out.at);
    switch (stored.at) {
        case stage::waiting:
            entry.at = phase::waiting;
            if (is_late(entry, out.at)) return end_late(entry, stored.starts, out);
            if (stored.since + options_.wait_max <= out.at.wall)
                return report(entry, refusal("it waited too long, also for the agent"), out);
            waiting_.push_back(stored.order.name);
            return;
        case stage::running:
            break;
        case stage::reported:
            entry.at = phase::reported;
            untaken_.insert(stored.order.name);
            return;
        case stage::taken:
            entry.at = phase::taken;
            remember(entry, out.at);
            return;
    }
    if (stored.nature == task_nature::chain) return resume_chain(entry, out);
    if (stored.nature == task_nature::reboots) return resume_reboot(entry, out);
    if (stored.order.may_run_again && stored.starts < options_.starts_max) {
        entry.at = phase::waiting;
        waiting_.push_back(stored.order.name);
        return;
    }
    report(
        entry,
        {.outcome = task_outcome::interrupted,
         .exit_code = -1,
         .reason = "interrupted: the agent ended while it ran"},
        out);
}

void agent_tasks::resume_reboot(entry& entry, gathering& out) {
    const auto& stored = entry.kept;
    if (stored.boot != boot_) return report(entry, {.outcome = task_outcome::succeeded}, out);
    const auto left = std::clamp<monotonic::duration>(
        entry.started + stored.order.timeout - out.at.wall, {}, stored.order.timeout);
    entry.at = phase::running;
    entry.process = false;
    entry.act_at = out.at.now + left;
    running_.insert(stored.order.name);
    ++places_taken_;
}

task_effects agent_tasks::arrived(std::vector<arrival> orders, moment at) {
    gathering out{.at = at};
    for (auto& order : orders) accept(std::move(order), out);
    return effects_of(std::move(out));
}

void agent_tasks::accept(arrival arrival, gathering& out) {
    const auto name = arrival.order.name;
    if (const auto it = all_.find(name); it != all_.end()) return answer(it->second, out);
    if (untaken_.size() >= options_.unreported_max) {
        // Not even the refusal is kept: the node asks again when it has taken some reports.
        const task_report task_report{
            .task = name,
            .how = refusal("too many reports of this agent wait to be taken"),
            .started = out.at.wall,
            .ended = out.at.wall};
        if (attached_) out.reports.reports.push_back(task_report);
        return;
    }
    entry result{
        .kept =
            {.order = std::move(arrival.order),
             .nature = arrival.nature,
             .since = out.at.wall,
             .chain = {.steps = std::move(arrival.steps)}},
        .began = out.at.now};
    result.start_by = start_by_of(result.kept, out.at);
    entry& one = all_.emplace(name, std::move(result)).first->second;
    if (arrival.nature == task_nature::harmless) return run(one, out);
    if (may_start() && waiting_.empty()) return begin(one, out);
    if (waiting_.size() >= options_.waiting_max)
        return report_unkept(one, refusal("too many tasks wait on this system"), out);
    out.durable.push_back(one.kept);
}

// What is known of a task that came again.
void agent_tasks::answer(const entry& entry, gathering& out) {
    if (!attached_) return;
    if (entry.at == phase::reported || entry.at == phase::taken) {
        out.reports.reports.push_back(entry.kept.report);
    } else if (entry.on_disk || entry.at == phase::running) {
        out.held.tasks.push_back(held_of(entry));
    }
}

bool agent_tasks::may_start() const {
    return places_taken_ < options_.running_max && strain_.empty() && !retry_at_;
}

void agent_tasks::begin(entry& entry, gathering& out) {
    entry.at = phase::starting;
    entry.kept.at = stage::running;
    entry.kept.boot = boot_;
    entry.kept.report.started = out.at.wall;
    entry.kept.chain.begun = entry.kept.nature == task_nature::chain;
    if (entry.kept.chain.begun) entry.kept.chain.since = out.at.wall;
    ++entry.kept.starts;
    running_.insert(entry.kept.order.name);
    ++places_taken_;
    out.durable.push_back(entry.kept);
}

void agent_tasks::run(entry& entry, gathering& out) {
    entry.at = phase::running;
    const auto& stored = entry.kept;
    // A chain may have begun before the agent's start, and its time limit with it.
    const bool chain = stored.nature == task_nature::chain;
    entry.process = true;
    entry.started = chain ? stored.report.started : out.at.wall;
    entry.act_at =
        out.at.now
        + std::clamp<monotonic::duration>(
            entry.started + stored.order.timeout - out.at.wall, {}, stored.order.timeout);
    running_.insert(stored.order.name);
    out.others.emplace_back(run_task{.order = stored.order, .chain = stored.chain});
}

void agent_tasks::release(entry& entry) {
    const bool counted =
        running_.erase(entry.kept.order.name) > 0 && entry.kept.nature != task_nature::harmless;
    if (counted) --places_taken_;
}

void agent_tasks::start_next(gathering& out) {
    while (may_start() && !waiting_.empty()) {
        const auto next = waiting_.front();
        waiting_.pop_front();
        entry& entry = all_.at(next);
        if (is_late(entry, out.at)) {
            end_late(entry, entry.kept.starts, out);
        } else {
            begin(entry, out);
        }
    }
}

task_effects agent_tasks::stored(std::uint64_t ticket, const result<void>& how, moment at) {
    gathering out{.at = at};
    const auto it = storing_.find(ticket);
    if (it == storing_.end()) return {};
    const auto names = std::move(it->second);
    storing_.erase(it);
    if (!how) retry_at_ = at.now + disk_pause;
    for (const auto& name : names) {
        const auto one = all_.find(name);
        if (one != all_.end()) finish_storing(one->second, how, out);
    }
    start_next(out);
    return effects_of(std::move(out));
}

void agent_tasks::finish_storing(entry& entry, const result<void>& how, gathering& out) {
    const bool was_on_disk = std::exchange(entry.on_disk, entry.on_disk || how.has_value());
    const auto name = entry.kept.order.name;
    switch (entry.at) {
        case phase::accepting:
            if (!how) return report_unkept(entry, refusal(how.error().detail()), out);
            if (entry.forced != task_outcome::unknown)
                return report(entry, {.outcome = entry.forced}, out);
            entry.at = phase::waiting;
            waiting_.push_back(name);
            return answer(entry, out);
        case phase::starting:
            // The disk may have taken its time. A chain that goes on was begun long ago.
            if (how && entry.forced == task_outcome::unknown) {
                if (!entry.resumed && is_late(entry, out.at))
                    return end_late(entry, entry.kept.starts - 1, out);
                answer(entry, out);
                return run(entry, out);
            }
            if (how) {
                release(entry);
                return report(entry, {.outcome = entry.forced}, out);
            }
            return fail_start(entry, how.error(), was_on_disk, out);
        case phase::reporting:
            entry.at = phase::reported;
            entry.report_unstored = !how;
            untaken_.insert(name);
            return send(entry, out);
        case phase::reported:
            entry.report_unstored = !how;
            return;
        case phase::running:
            if (std::exchange(entry.marking, false))
                out.others.emplace_back(
                    continue_chain{.task = name, .failure = how ? "" : how.error().detail()});
            return;
        case phase::waiting:
        case phase::taken:
            return;
    }
}

// The disk did not take that it is begun.
void agent_tasks::fail_start(entry& entry, const error& why, bool was_on_disk, gathering& out) {
    if (entry.resumed) return fail_resumed(entry, why, out);
    release(entry);
    if (!was_on_disk) return report_unkept(entry, refusal(why.detail()), out);
    // The disk has it as waiting, and so it must stay until the disk takes more.
    entry.kept.at = stage::waiting;
    --entry.kept.starts;
    entry.at = phase::waiting;
    waiting_.push_front(entry.kept.order.name);
}

task_effects agent_tasks::ended(task_name task, task_ending task_ending, moment at) {
    const auto it = all_.find(task);
    // One that was given up, or that the agent never began: what it has kept is nobody's.
    if (it == all_.end() || it->second.at != phase::running) {
        const bool unowned = task_ending.payload_kept
                             && (it == all_.end() || !it->second.kept.report.how.payload_kept);
        return unowned ? task_effects{drop_payload{.task = task}} : task_effects{};
    }
    gathering out{.at = at};
    entry& entry = it->second;
    if (entry.forced != task_outcome::unknown) {
        task_ending.outcome = entry.forced;
        task_ending.reason = entry.forced == task_outcome::timed_out ? "ended after its time limit"
                                                                     : "cancelled while it ran";
        if (entry.kept.nature == task_nature::chain)
            task_ending.reason += ", " + place_of(entry.kept.chain);
    }
    report(entry, std::move(task_ending), out);
    start_next(out);
    return effects_of(std::move(out));
}

void agent_tasks::awaits_boot(task_name task) {
    const auto it = all_.find(task);
    if (it != all_.end() && it->second.kept.nature == task_nature::reboots)
        it->second.process = false;
}

void agent_tasks::conclude(entry& entry, task_ending task_ending, moment at) {
    release(entry);
    std::erase(waiting_, entry.kept.order.name);
    const bool begun = entry.started != wall_time();
    if (task_ending.reason.empty() && task_ending.outcome == task_outcome::cancelled)
        task_ending.reason = "cancelled before it was begun";
    entry.kept.report = {
        .task = entry.kept.order.name,
        .how = std::move(task_ending),
        .started = begun ? entry.started : at.wall,
        .ended = at.wall};
    entry.kept.at = stage::reported;
    entry.kept.order.arguments = {};
    entry.kept.chain = {};
}

// Stored, and then sent.
void agent_tasks::report(entry& entry, task_ending task_ending, gathering& out) {
    conclude(entry, std::move(task_ending), out.at);
    if (entry.kept.nature == task_nature::harmless) {
        entry.at = phase::reported;
        untaken_.insert(entry.kept.order.name);
        out.lazy.put.push_back(entry.kept);
        return send(entry, out);
    }
    entry.at = phase::reporting;
    out.durable.push_back(entry.kept);
}

// For a task that the disk does not know: should the agent end now, nobody has begun it.
void agent_tasks::report_unkept(entry& entry, task_ending task_ending, gathering& out) {
    conclude(entry, std::move(task_ending), out.at);
    entry.at = phase::reported;
    untaken_.insert(entry.kept.order.name);
    out.lazy.put.push_back(entry.kept);
    send(entry, out);
}

void agent_tasks::send(entry& entry, gathering& out) {
    if (untaken_.size() == 1) resend_at_ = out.at.now + options_.resend;
    if (!attached_) return;
    entry.sent = out.at.now;
    out.reports.reports.push_back(entry.kept.report);
}

task_effects agent_tasks::effects_of(gathering gathering) {
    task_effects out;
    if (!gathering.durable.empty()) {
        store_tasks store_tasks{
            .ticket = ++last_ticket_, .durable = true, .put = std::move(gathering.durable)};
        auto& names = storing_[store_tasks.ticket];
        for (const auto& each : store_tasks.put) names.push_back(each.order.name);
        out.emplace_back(std::move(store_tasks));
    }
    if (!gathering.lazy.put.empty() || !gathering.lazy.erased.empty())
        out.emplace_back(std::move(gathering.lazy));
    out.insert(
        out.end(),
        std::make_move_iterator(gathering.others.begin()),
        std::make_move_iterator(gathering.others.end()));
    if (gathering.held.all || !gathering.held.tasks.empty())
        out.emplace_back(std::move(gathering.held));
    if (!gathering.reports.reports.empty()) out.emplace_back(std::move(gathering.reports));
    return out;
}

}  // namespace muster::session
