#include "core/session/agent_tasks.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::session {
namespace {

using stage = kept_task::stage;

constexpr std::chrono::seconds disk_pause{5};

task_ending refusal(std::string why) {
    return {.outcome = task_outcome::refused, .exit_code = -1, .reason = std::move(why)};
}

// By the wall clock, as far as the journal's times are another run's. A clock that was set back
// tells nothing, and then it is too late.
std::optional<instant> start_by_of(const kept_task& task, agent_tasks::moment at) {
    if (task.order.start_within == monotonic::duration::zero()) return std::nullopt;
    if (at.wall < task.since) return at.now;
    return at.now + task.order.start_within - (at.wall - task.since);
}

}  // namespace

task_effects agent_tasks::start(std::vector<kept_task> kept, std::string boot, moment at) {
    MUSTER_ASSERT(all_.empty());
    boot_ = std::move(boot);
    gathering out{.at = at};
    std::ranges::sort(kept, {}, &kept_task::since);
    for (auto& each : kept) {
        const auto name = each.order.name;
        entry made{.kept = std::move(each), .on_disk = true, .began = at.now};
        resume(all_.insert_or_assign(name, std::move(made)).first->second, out);
    }
    forget(out);
    start_next(out);
    return effects_of(std::move(out));
}

// Goes on with a task where the last run of the agent left it.
void agent_tasks::resume(entry& one, gathering& out) {
    const auto& kept = one.kept;
    one.started = kept.report.started;
    one.start_by = start_by_of(kept, out.at);
    switch (kept.at) {
        case stage::waiting:
            one.at = phase::waiting;
            if (is_late(one, out.at)) return end_late(one, kept.starts, out);
            if (kept.since + how_.wait_max <= out.at.wall)
                return report(one, refusal("it waited too long, also for the agent"), out);
            waiting_.push_back(kept.order.name);
            return;
        case stage::running:
            break;
        case stage::reported:
            one.at = phase::reported;
            untaken_.insert(kept.order.name);
            return;
        case stage::taken:
            one.at = phase::taken;
            remember(one, out.at);
            return;
    }
    if (kept.nature == task_nature::chain) return resume_chain(one, out);
    if (kept.nature == task_nature::reboots) return resume_reboot(one, out);
    if (kept.order.may_run_again && kept.starts < how_.starts_max) {
        one.at = phase::waiting;
        waiting_.push_back(kept.order.name);
        return;
    }
    report(
        one,
        {.outcome = task_outcome::interrupted,
         .exit_code = -1,
         .reason = "interrupted: the agent ended while it ran"},
        out);
}

void agent_tasks::resume_reboot(entry& one, gathering& out) {
    const auto& kept = one.kept;
    if (kept.boot != boot_) return report(one, {.outcome = task_outcome::succeeded}, out);
    const auto left = std::clamp<monotonic::duration>(
        one.started + kept.order.timeout - out.at.wall, {}, kept.order.timeout);
    one.at = phase::running;
    one.process = false;
    one.act_at = out.at.now + left;
    running_.insert(kept.order.name);
    ++places_taken_;
}

task_effects agent_tasks::arrived(std::vector<arrival> orders, moment at) {
    gathering out{.at = at};
    for (auto& each : orders) accept(std::move(each), out);
    return effects_of(std::move(out));
}

void agent_tasks::accept(arrival what, gathering& out) {
    const auto name = what.order.name;
    if (const auto known = all_.find(name); known != all_.end()) return answer(known->second, out);
    if (untaken_.size() >= how_.unreported_max) {
        // Not even the refusal is kept: the node asks again when it has taken some reports.
        const task_report said{
            .task = name,
            .how = refusal("too many reports of this agent wait to be taken"),
            .started = out.at.wall,
            .ended = out.at.wall};
        if (attached_) out.reports.reports.push_back(said);
        return;
    }
    entry made{
        .kept =
            {.order = std::move(what.order),
             .nature = what.nature,
             .since = out.at.wall,
             .chain = {.steps = std::move(what.steps)}},
        .began = out.at.now};
    made.start_by = start_by_of(made.kept, out.at);
    entry& one = all_.emplace(name, std::move(made)).first->second;
    if (what.nature == task_nature::harmless) return run(one, out);
    if (may_start() && waiting_.empty()) return begin(one, out);
    if (waiting_.size() >= how_.waiting_max)
        return report_unkept(one, refusal("too many tasks wait on this system"), out);
    out.durable.push_back(one.kept);
}

// What is known of a task that came again.
void agent_tasks::answer(const entry& known, gathering& out) {
    if (!attached_) return;
    if (known.at == phase::reported || known.at == phase::taken) {
        out.reports.reports.push_back(known.kept.report);
    } else if (known.on_disk || known.at == phase::running) {
        out.held.tasks.push_back(held_of(known));
    }
}

bool agent_tasks::may_start() const {
    return places_taken_ < how_.running_max && strain_.empty() && !retry_at_;
}

void agent_tasks::begin(entry& one, gathering& out) {
    one.at = phase::starting;
    one.kept.at = stage::running;
    one.kept.boot = boot_;
    one.kept.report.started = out.at.wall;
    one.kept.chain.begun = one.kept.nature == task_nature::chain;
    if (one.kept.chain.begun) one.kept.chain.since = out.at.wall;
    ++one.kept.starts;
    running_.insert(one.kept.order.name);
    ++places_taken_;
    out.durable.push_back(one.kept);
}

void agent_tasks::run(entry& one, gathering& out) {
    one.at = phase::running;
    const auto& kept = one.kept;
    // A chain may have begun before the agent's start, and its time limit with it.
    const bool chain = kept.nature == task_nature::chain;
    one.process = true;
    one.started = chain ? kept.report.started : out.at.wall;
    one.act_at = out.at.now
                 + std::clamp<monotonic::duration>(
                     one.started + kept.order.timeout - out.at.wall, {}, kept.order.timeout);
    running_.insert(kept.order.name);
    out.others.emplace_back(run_task{.order = kept.order, .chain = kept.chain});
}

void agent_tasks::release(entry& one) {
    const bool counted =
        running_.erase(one.kept.order.name) > 0 && one.kept.nature != task_nature::harmless;
    if (counted) --places_taken_;
}

void agent_tasks::start_next(gathering& out) {
    while (may_start() && !waiting_.empty()) {
        const auto next = waiting_.front();
        waiting_.pop_front();
        entry& one = all_.at(next);
        if (is_late(one, out.at)) {
            end_late(one, one.kept.starts, out);
        } else {
            begin(one, out);
        }
    }
}

task_effects agent_tasks::stored(std::uint64_t ticket, const result<void>& how, moment at) {
    gathering out{.at = at};
    const auto found = storing_.find(ticket);
    if (found == storing_.end()) return {};
    const auto names = std::move(found->second);
    storing_.erase(found);
    if (!how) retry_at_ = at.now + disk_pause;
    for (const auto& name : names) {
        const auto one = all_.find(name);
        if (one != all_.end()) finish_storing(one->second, how, out);
    }
    start_next(out);
    return effects_of(std::move(out));
}

void agent_tasks::finish_storing(entry& one, const result<void>& how, gathering& out) {
    const bool was_on_disk = std::exchange(one.on_disk, one.on_disk || how.has_value());
    const auto name = one.kept.order.name;
    switch (one.at) {
        case phase::accepting:
            if (!how) return report_unkept(one, refusal(how.error().detail()), out);
            if (one.forced != task_outcome::unknown)
                return report(one, {.outcome = one.forced}, out);
            one.at = phase::waiting;
            waiting_.push_back(name);
            return answer(one, out);
        case phase::starting:
            // The disk may have taken its time. A chain that goes on was begun long ago.
            if (how && one.forced == task_outcome::unknown) {
                if (!one.resumed && is_late(one, out.at))
                    return end_late(one, one.kept.starts - 1, out);
                answer(one, out);
                return run(one, out);
            }
            if (how) {
                release(one);
                return report(one, {.outcome = one.forced}, out);
            }
            return fail_start(one, how.error(), was_on_disk, out);
        case phase::reporting:
            one.at = phase::reported;
            one.report_unstored = !how;
            untaken_.insert(name);
            return send(one, out);
        case phase::reported:
            one.report_unstored = !how;
            return;
        case phase::running:
            if (std::exchange(one.marking, false))
                out.others.emplace_back(
                    go_on{.task = name, .failure = how ? "" : how.error().detail()});
            return;
        case phase::waiting:
        case phase::taken:
            return;
    }
}

// The disk did not take that it is begun.
void agent_tasks::fail_start(entry& one, const error& why, bool was_on_disk, gathering& out) {
    if (one.resumed) return fail_resumed(one, why, out);
    release(one);
    if (!was_on_disk) return report_unkept(one, refusal(why.detail()), out);
    // The disk has it as waiting, and so it must stay until the disk takes more.
    one.kept.at = stage::waiting;
    --one.kept.starts;
    one.at = phase::waiting;
    waiting_.push_front(one.kept.order.name);
}

task_effects agent_tasks::ended(task_name task, task_ending how, moment at) {
    const auto found = all_.find(task);
    // One that was given up, or that the agent never began: what it has kept is nobody's.
    if (found == all_.end() || found->second.at != phase::running) {
        const bool unowned =
            how.payload_kept
            && (found == all_.end() || !found->second.kept.report.how.payload_kept);
        return unowned ? task_effects{drop_payload{.task = task}} : task_effects{};
    }
    gathering out{.at = at};
    entry& one = found->second;
    if (one.forced != task_outcome::unknown) {
        how.outcome = one.forced;
        how.reason = one.forced == task_outcome::timed_out ? "ended after its time limit"
                                                           : "cancelled while it ran";
        if (one.kept.nature == task_nature::chain) how.reason += ", " + place_of(one.kept.chain);
    }
    report(one, std::move(how), out);
    start_next(out);
    return effects_of(std::move(out));
}

void agent_tasks::awaits_boot(task_name task) {
    const auto found = all_.find(task);
    if (found != all_.end() && found->second.kept.nature == task_nature::reboots)
        found->second.process = false;
}

void agent_tasks::conclude(entry& one, task_ending how, moment at) {
    release(one);
    std::erase(waiting_, one.kept.order.name);
    const bool begun = one.started != wall_time();
    if (how.reason.empty() && how.outcome == task_outcome::cancelled)
        how.reason = "cancelled before it was begun";
    one.kept.report = {
        .task = one.kept.order.name,
        .how = std::move(how),
        .started = begun ? one.started : at.wall,
        .ended = at.wall};
    one.kept.at = stage::reported;
    one.kept.order.arguments = {};
    one.kept.chain = {};
}

// Stored, and then sent.
void agent_tasks::report(entry& one, task_ending how, gathering& out) {
    conclude(one, std::move(how), out.at);
    if (one.kept.nature == task_nature::harmless) {
        one.at = phase::reported;
        untaken_.insert(one.kept.order.name);
        out.lazy.put.push_back(one.kept);
        return send(one, out);
    }
    one.at = phase::reporting;
    out.durable.push_back(one.kept);
}

// For a task that the disk does not know: should the agent end now, nobody has begun it.
void agent_tasks::report_unkept(entry& one, task_ending how, gathering& out) {
    conclude(one, std::move(how), out.at);
    one.at = phase::reported;
    untaken_.insert(one.kept.order.name);
    out.lazy.put.push_back(one.kept);
    send(one, out);
}

void agent_tasks::send(entry& one, gathering& out) {
    if (untaken_.size() == 1) resend_at_ = out.at.now + how_.resend;
    if (!attached_) return;
    one.sent = out.at.now;
    out.reports.reports.push_back(one.kept.report);
}

task_effects agent_tasks::effects_of(gathering made) {
    task_effects out;
    if (!made.durable.empty()) {
        store_tasks what{.ticket = ++last_ticket_, .durable = true, .put = std::move(made.durable)};
        auto& names = storing_[what.ticket];
        for (const auto& each : what.put) names.push_back(each.order.name);
        out.emplace_back(std::move(what));
    }
    if (!made.lazy.put.empty() || !made.lazy.erased.empty()) out.emplace_back(std::move(made.lazy));
    out.insert(
        out.end(),
        std::make_move_iterator(made.others.begin()),
        std::make_move_iterator(made.others.end()));
    if (made.held.all || !made.held.tasks.empty()) out.emplace_back(std::move(made.held));
    if (!made.reports.reports.empty()) out.emplace_back(std::move(made.reports));
    return out;
}

}  // namespace muster::session
