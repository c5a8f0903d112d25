#include "core/session/agent_tasks.h"

#include <algorithm>
#include <utility>

// What nodes say about tasks that are held, and what time does to them.
namespace muster::session {
namespace {

using stage = journaled_task::stage;

constexpr std::chrono::minutes forget_interval{10};

}  // namespace

task_effects agent_tasks::signalled(task_name task, task_signal what, moment at) {
    gathering out{.at = at};
    const auto it = all_.find(task);
    if (it == all_.end()) {
        if (attached_) out.held.tasks.push_back({.task = task, .since = {}, .unknown = true});
        return effects_of(std::move(out));
    }
    if (what == task_signal::ask) {
        answer(it->second, out);
    } else {
        end_by_signal(it->second, what, out);
        start_next(out);
    }
    return effects_of(std::move(out));
}

void agent_tasks::end_by_signal(entry& entry, task_signal what, gathering& out) {
    const auto name = entry.kept.order.name;
    switch (entry.at) {
        case phase::waiting:
            return report(entry, {.outcome = task_outcome::cancelled}, out);
        case phase::accepting:
        case phase::starting:
            entry.forced = task_outcome::cancelled;
            return;
        case phase::running:
            break;
        case phase::reporting:
            return;
        case phase::reported:
        case phase::taken:
            return answer(entry, out);
    }
    if (what == task_signal::cancel) {
        if (entry.forced != task_outcome::unknown) return;
        entry.forced = task_outcome::cancelled;
        return revision_publisher(entry, out);
    }
    const auto how = what == task_signal::kill ? end_kind::kill : end_kind::term;
    if (entry.process) out.others.emplace_back(end_task{.task = name, .how = how});
}

// One step harsher: asked to end, killed, given up.
void agent_tasks::revision_publisher(entry& entry, gathering& out) {
    const auto name = entry.kept.order.name;
    if (!entry.process)
        return report(
            entry,
            {.outcome = entry.forced,
             .exit_code = -1,
             .reason = "the machine was not started anew in time"},
            out);
    if (!entry.asked_to_end) {
        entry.asked_to_end = end_kind::term;
        entry.act_at = out.at.now + options_.kill_after;
        out.others.emplace_back(end_task{.task = name, .how = end_kind::term});
    } else if (entry.asked_to_end == end_kind::term) {
        entry.asked_to_end = end_kind::kill;
        entry.act_at = out.at.now + options_.give_up_after;
        out.others.emplace_back(end_task{.task = name, .how = end_kind::kill});
    } else {
        report(
            entry,
            {.outcome = entry.forced,
             .exit_code = -1,
             .reason = "it was killed after its time and is still there"},
            out);
    }
}

task_effects agent_tasks::reports_taken(const std::vector<task_name>& tasks, moment at) {
    gathering out{.at = at};
    for (const auto& task : tasks) {
        const auto it = all_.find(task);
        if (it != all_.end() && it->second.at == phase::reported) take(it->second, out);
    }
    while (taken_.size() > options_.remembered_max) forget_oldest(out);
    while (owed_.size() > options_.owed_max) {
        const auto oldest = *owed_.begin();
        out.others.emplace_back(drop_payload{.task = oldest, .owed = true});
        owed_.erase(owed_.begin());
        forget_one(oldest, out);
    }
    return effects_of(std::move(out));
}

// The report is on record: what stays is small.
void agent_tasks::take(entry& entry, gathering& out) {
    const auto name = entry.kept.order.name;
    entry.at = phase::taken;
    entry.kept.at = stage::taken;
    entry.kept.report.how.inline_payload = {};
    untaken_.erase(name);
    remember(entry, out.at);
    out.lazy.put.push_back(entry.kept);
}

void agent_tasks::remember(entry& entry, moment at) {
    const auto name = entry.kept.order.name;
    if (entry.kept.report.how.payload_kept) {
        if (owed_.empty()) offer_at_ = at.now + options_.offer_again;
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
    const auto it = all_.find(task);
    if (it == all_.end() || !it->second.kept.report.how.payload_kept) return {};
    gathering out{.at = at};
    it->second.kept.report.how.payload_kept = false;
    if (owed_.erase(task) > 0) remember(it->second, at);
    out.lazy.put.push_back(it->second.kept);
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
    resend_at_ = at.now + options_.resend;
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
        entry& entry = all_.at(name);
        if (entry.at != phase::running || entry.act_at > at.now) continue;
        if (entry.forced == task_outcome::unknown) entry.forced = task_outcome::timed_out;
        revision_publisher(entry, out);
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
        entry& entry = all_.at(name);
        if (is_late(entry, out.at)) {
            end_late(entry, entry.kept.starts, out);
        } else if (entry.began + options_.wait_max <= out.at.now) {
            report(
                entry,
                {.outcome = task_outcome::refused,
                 .exit_code = -1,
                 .reason = "it waited too long: " + why},
                out);
        }
    }
}

// By the clock that goes on while the machine sleeps, too.
bool agent_tasks::is_late(const entry& entry, moment at) {
    if (!entry.start_by) return false;
    return *entry.start_by <= at.now || at.wall - entry.kept.since >= entry.kept.order.start_within;
}

// One that was begun before may have done a part, and is not as if nothing had happened.
void agent_tasks::end_late(entry& entry, std::uint32_t starts, gathering& out) {
    if (starts == 0)
        return report(
            entry,
            {.outcome = task_outcome::not_started,
             .exit_code = -1,
             .reason = "its window closed before it could start"},
            out);
    report(
        entry,
        {.outcome = task_outcome::interrupted,
         .exit_code = -1,
         .reason = "interrupted: the agent ended while it ran, and its window closed before it "
                   "could run again"},
        out);
}

void agent_tasks::resend(gathering& out) {
    for (const auto& name : untaken_) {
        entry& entry = all_.at(name);
        if (entry.report_unstored) out.durable.push_back(entry.kept);
        if (entry.sent + options_.resend <= out.at.now) send(entry, out);
    }
    resend_at_ = out.at.now + options_.resend;
}

// A node that had too much to do has let go of what it was offered.
void agent_tasks::offer_again(gathering& out) {
    for (const auto& name : owed_) {
        entry& entry = all_.at(name);
        if (entry.sent + options_.offer_again <= out.at.now) send(entry, out);
    }
    offer_at_ = out.at.now + options_.offer_again;
}

void agent_tasks::forget(gathering& out) {
    const auto since =
        out.at.wall - std::chrono::floor<std::chrono::microseconds>(options_.remember);
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
        const auto& all = all_.at(name);
        if (all.at == phase::running) consider(all.act_at);
    }
    if (!waiting_.empty()) consider(all_.at(waiting_.front()).began + options_.wait_max);
    for (const auto& name : waiting_)
        if (const auto& late_from = all_.at(name).start_by) consider(*late_from);
    if (!untaken_.empty()) consider(resend_at_);
    if (!taken_.empty()) consider(forget_at_);
    if (!owed_.empty()) consider(offer_at_);
    return next;
}

std::vector<agent_tasks::view> agent_tasks::unended() const {
    std::vector<view> views;
    for (const auto& [name, one] : all_) {
        const bool ended = one.at == phase::reported || one.at == phase::taken;
        if (ended || (!one.on_disk && one.at != phase::running)) continue;
        views.push_back(
            {.task = &one.kept, .running = one.at == phase::running, .where = held_of(one).where});
    }
    return views;
}

}  // namespace muster::session
