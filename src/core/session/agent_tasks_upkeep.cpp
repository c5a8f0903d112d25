#include "core/session/agent_tasks.h"

#include <algorithm>
#include <utility>

// What nodes say about tasks that are held, and what time does to them.
namespace muster::session {
namespace {

using stage = kept_task::stage;

constexpr std::chrono::minutes forget_interval{10};

}  // namespace

task_effects agent_tasks::signalled(task_name task, task_signal what, moment at) {
    gathering out{.at = at};
    const auto found = all_.find(task);
    if (found == all_.end()) {
        if (attached_) out.held.tasks.push_back({.task = task, .since = {}, .unknown = true});
        return effects_of(std::move(out));
    }
    if (what == task_signal::ask) {
        answer(found->second, out);
    } else {
        end_by_signal(found->second, what, out);
        start_next(out);
    }
    return effects_of(std::move(out));
}

void agent_tasks::end_by_signal(entry& one, task_signal what, gathering& out) {
    const auto name = one.kept.order.name;
    switch (one.at) {
        case phase::waiting:
            return report(one, {.outcome = task_outcome::cancelled}, out);
        case phase::accepting:
        case phase::starting:
            one.forced = task_outcome::cancelled;
            return;
        case phase::running:
            break;
        case phase::reporting:
            return;
        case phase::reported:
        case phase::taken:
            return answer(one, out);
    }
    if (what == task_signal::cancel) {
        if (one.forced != task_outcome::unknown) return;
        one.forced = task_outcome::cancelled;
        return press(one, out);
    }
    const auto how = what == task_signal::kill ? end_kind::kill : end_kind::term;
    if (one.process) out.others.emplace_back(end_task{.task = name, .how = how});
}

// One step harsher: asked to end, killed, given up.
void agent_tasks::press(entry& one, gathering& out) {
    const auto name = one.kept.order.name;
    if (!one.process)
        return report(
            one,
            {.outcome = one.forced,
             .exit_code = -1,
             .reason = "the machine was not started anew in time"},
            out);
    if (!one.asked_to_end) {
        one.asked_to_end = end_kind::term;
        one.act_at = out.at.now + how_.kill_after;
        out.others.emplace_back(end_task{.task = name, .how = end_kind::term});
    } else if (one.asked_to_end == end_kind::term) {
        one.asked_to_end = end_kind::kill;
        one.act_at = out.at.now + how_.give_up_after;
        out.others.emplace_back(end_task{.task = name, .how = end_kind::kill});
    } else {
        report(
            one,
            {.outcome = one.forced,
             .exit_code = -1,
             .reason = "it was killed after its time and is still there"},
            out);
    }
}

task_effects agent_tasks::reports_taken(const std::vector<task_name>& tasks, moment at) {
    gathering out{.at = at};
    for (const auto& each : tasks) {
        const auto found = all_.find(each);
        if (found != all_.end() && found->second.at == phase::reported) take(found->second, out);
    }
    while (taken_.size() > how_.remembered_max) forget_oldest(out);
    while (owed_.size() > how_.owed_max) {
        const auto oldest = *owed_.begin();
        out.others.emplace_back(drop_payload{.task = oldest, .owed = true});
        owed_.erase(owed_.begin());
        forget_one(oldest, out);
    }
    return effects_of(std::move(out));
}

// The report is on record: what stays is small.
void agent_tasks::take(entry& one, gathering& out) {
    const auto name = one.kept.order.name;
    one.at = phase::taken;
    one.kept.at = stage::taken;
    one.kept.report.how.inline_payload = {};
    untaken_.erase(name);
    remember(one, out.at);
    out.lazy.put.push_back(one.kept);
}

void agent_tasks::remember(entry& one, moment at) {
    const auto name = one.kept.order.name;
    if (one.kept.report.how.payload_kept) {
        if (owed_.empty()) offer_at_ = at.now + how_.offer_again;
        owed_.insert(name);
        return;
    }
    if (taken_.empty()) forget_at_ = at.now + forget_interval;
    taken_.push_back(name);
}

void agent_tasks::payload_wanted(task_name task, moment at) {
    if (owed_.contains(task)) all_.at(task).sent = at.now;
}

task_effects agent_tasks::payload_taken(task_name task, moment at) {
    const auto found = all_.find(task);
    if (found == all_.end() || !found->second.kept.report.how.payload_kept) return {};
    gathering out{.at = at};
    found->second.kept.report.how.payload_kept = false;
    if (owed_.erase(task) > 0) remember(found->second, at);
    out.lazy.put.push_back(found->second.kept);
    out.others.emplace_back(drop_payload{.task = task});
    return effects_of(std::move(out));
}

task_effects agent_tasks::attached(moment at) {
    attached_ = true;
    gathering out{.at = at};
    out.held.all = true;
    for (const auto& each : unended())
        out.held.tasks.push_back(held_of(all_.at(each.task->order.name)));
    for (const auto& each : untaken_) send(all_.at(each), out);
    // The report is on record, its payload is not: this node may not have heard of it.
    for (const auto& each : owed_) send(all_.at(each), out);
    resend_at_ = at.now + how_.resend;
    return effects_of(std::move(out));
}

task_effects agent_tasks::strained(std::string why, moment at) {
    strain_ = std::move(why);
    gathering out{.at = at};
    start_next(out);
    return effects_of(std::move(out));
}

task_effects agent_tasks::expire(moment at) {
    gathering out{.at = at};
    if (retry_at_ && *retry_at_ <= at.now) retry_at_.reset();
    const auto running = running_;
    for (const auto& name : running) {
        entry& one = all_.at(name);
        if (one.at != phase::running || one.act_at > at.now) continue;
        if (one.forced == task_outcome::unknown) one.forced = task_outcome::timed_out;
        press(one, out);
    }
    refuse_late(out);
    if (resend_at_ <= at.now) resend(out);
    if (forget_at_ <= at.now) forget(out);
    if (offer_at_ <= at.now) offer_again(out);
    start_next(out);
    return effects_of(std::move(out));
}

void agent_tasks::refuse_late(gathering& out) {
    const auto why = strain_.empty() ? std::string("other tasks were running") : strain_;
    const auto waiting = waiting_;
    for (const auto& name : waiting) {
        entry& one = all_.at(name);
        if (is_late(one, out.at)) {
            end_late(one, one.kept.starts, out);
        } else if (one.began + how_.wait_max <= out.at.now) {
            report(
                one,
                {.outcome = task_outcome::refused,
                 .exit_code = -1,
                 .reason = "it waited too long: " + why},
                out);
        }
    }
}

// By the clock that goes on while the machine sleeps, too.
bool agent_tasks::is_late(const entry& one, moment at) {
    if (!one.start_by) return false;
    return *one.start_by <= at.now || at.wall - one.kept.since >= one.kept.order.start_within;
}

// One that was begun before may have done a part, and is not as if nothing had happened.
void agent_tasks::end_late(entry& one, std::uint32_t starts, gathering& out) {
    if (starts == 0)
        return report(
            one,
            {.outcome = task_outcome::not_started,
             .exit_code = -1,
             .reason = "its window closed before it could start"},
            out);
    report(
        one,
        {.outcome = task_outcome::interrupted,
         .exit_code = -1,
         .reason = "interrupted: the agent ended while it ran, and its window closed before it "
                   "could run again"},
        out);
}

void agent_tasks::resend(gathering& out) {
    for (const auto& name : untaken_) {
        entry& one = all_.at(name);
        if (one.report_unstored) out.durable.push_back(one.kept);
        if (one.sent + how_.resend <= out.at.now) send(one, out);
    }
    resend_at_ = out.at.now + how_.resend;
}

// A node that had too much to do has let go of what it was offered.
void agent_tasks::offer_again(gathering& out) {
    for (const auto& name : owed_) {
        entry& one = all_.at(name);
        if (one.sent + how_.offer_again <= out.at.now) send(one, out);
    }
    offer_at_ = out.at.now + how_.offer_again;
}

void agent_tasks::forget(gathering& out) {
    const auto since = out.at.wall - std::chrono::floor<std::chrono::microseconds>(how_.remember);
    while (!taken_.empty() && all_.at(taken_.front()).kept.report.ended <= since)
        forget_oldest(out);
    forget_at_ = out.at.now + forget_interval;
}

void agent_tasks::forget_oldest(gathering& out) {
    const auto oldest = taken_.front();
    taken_.pop_front();
    forget_one(oldest, out);
}

void agent_tasks::forget_one(task_name task, gathering& out) {
    all_.erase(task);
    out.lazy.erased.push_back(task);
}

std::optional<instant> agent_tasks::next_deadline() const {
    std::optional<instant> next = retry_at_;
    const auto consider = [&next](instant at) {
        next = next ? std::min(*next, at) : at;
    };
    for (const auto& name : running_) {
        const auto& one = all_.at(name);
        if (one.at == phase::running) consider(one.act_at);
    }
    if (!waiting_.empty()) consider(all_.at(waiting_.front()).began + how_.wait_max);
    for (const auto& name : waiting_)
        if (const auto& late_from = all_.at(name).start_by) consider(*late_from);
    if (!untaken_.empty()) consider(resend_at_);
    if (!taken_.empty()) consider(forget_at_);
    if (!owed_.empty()) consider(offer_at_);
    return next;
}

std::vector<agent_tasks::view> agent_tasks::unended() const {
    std::vector<view> found;
    for (const auto& [name, one] : all_) {
        const bool ended = one.at == phase::reported || one.at == phase::taken;
        if (ended || (!one.on_disk && one.at != phase::running)) continue;
        found.push_back(
            {.task = &one.kept, .running = one.at == phase::running, .where = held_of(one).where});
    }
    return found;
}

}  // namespace muster::session
