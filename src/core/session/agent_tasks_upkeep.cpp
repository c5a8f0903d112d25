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
    return effects_of(std::move(out));
}

// The report is on record: what stays is small.
void agent_tasks::take(entry& one, gathering& out) {
    const auto name = one.kept.order.name;
    one.at = phase::taken;
    one.kept.at = stage::taken;
    one.kept.report.how.inline_payload = {};
    untaken_.erase(name);
    if (taken_.empty()) forget_at_ = out.at.now + forget_interval;
    taken_.push_back(name);
    out.lazy.put.push_back(one.kept);
}

task_effects agent_tasks::payload_taken(task_name task, moment at) {
    const auto found = all_.find(task);
    if (found == all_.end() || !found->second.kept.report.how.payload_kept) return {};
    gathering out{.at = at};
    found->second.kept.report.how.payload_kept = false;
    out.lazy.put.push_back(found->second.kept);
    out.others.emplace_back(drop_payload{task});
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
    for (const auto& each : taken_)
        if (all_.at(each).kept.report.how.payload_kept) send(all_.at(each), out);
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
    start_next(out);
    return effects_of(std::move(out));
}

void agent_tasks::refuse_late(gathering& out) {
    while (!waiting_.empty() && all_.at(waiting_.front()).began + how_.wait_max <= out.at.now) {
        entry& one = all_.at(waiting_.front());
        report(
            one,
            {.outcome = task_outcome::refused,
             .exit_code = -1,
             .reason = "it waited too long: "
                       + (strain_.empty() ? std::string("other tasks were running") : strain_)},
            out);
    }
}

void agent_tasks::resend(gathering& out) {
    for (const auto& name : untaken_) {
        entry& one = all_.at(name);
        if (one.report_unstored) out.durable.push_back(one.kept);
        if (one.sent + how_.resend <= out.at.now) send(one, out);
    }
    resend_at_ = out.at.now + how_.resend;
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
    if (all_.at(oldest).kept.report.how.payload_kept) out.others.emplace_back(drop_payload{oldest});
    all_.erase(oldest);
    out.lazy.erased.push_back(oldest);
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
    if (!untaken_.empty()) consider(resend_at_);
    if (!taken_.empty()) consider(forget_at_);
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
