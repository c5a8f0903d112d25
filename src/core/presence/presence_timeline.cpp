#include "core/presence/presence_timeline.h"

#include <algorithm>
#include <utility>

namespace muster::presence::history {

presence_timeline::view presence_timeline::look() const {
    if (!begun_) return {};
    if (attached_to_ && !unsure_until_ && !silent_.contains(*attached_to_))
        return {
            .where = attachment_state::attached, .node = *attached_to_, .attachment = attachments_};
    if (attached_to_) return {.where = attachment_state::unknown, .node = *attached_to_};
    if (!silent_.empty()) return {.where = attachment_state::unknown, .node = *silent_.begin()};
    return {.where = attachment_state::away, .node = last_node_, .why = why_};
}

void presence_timeline::attach(node_number node) {
    ++attachments_;
    attached_to_ = last_node_ = node;
    rivals_.clear();
    unsure_until_.reset();
}

void presence_timeline::begin_with(node_number node, wall_time at) {
    silent_.erase(node);
    if (attached_to_ == node) return;
    // Of one who is silent nothing is known, and here is one who speaks.
    if (!attached_to_ || silent_.contains(*attached_to_)) return attach(node);
    rivals_[node] = at;
    unsure_until_ = at + unnoticed_;
}

// A rival stays unsure for as long as it was: it may be the one that has not noticed.
void presence_timeline::let_go(node_number node, session::reason why) {
    rivals_.erase(node);
    if (attached_to_ == node) {
        attached_to_.reset();
        why_ = why;
    }
    if (!attached_to_ && !rivals_.empty()) {
        const auto until = unsure_until_;
        const auto last =
            std::ranges::max_element(rivals_, {}, [](const auto& each) { return each.second; });
        const auto left = std::exchange(rivals_, {});
        attach(last->first);
        unsure_until_ = until;
        for (const auto& each : left)
            if (each.first != *attached_to_) rivals_.insert(each);
    }
    if (!attached_to_) unsure_until_.reset();
}

void presence_timeline::fall_silent(node_number node, wall_time at) {
    silent_.insert(node);
    const auto missed = noticed_.find(node);
    if (missed == noticed_.end() || at - missed->second > notice_before) return;
    silent_.erase(node);
    let_go(node, session::reason::node_lost);
}

void presence_timeline::listen(const statement& next) {
    switch (next.what) {
        case claim::begins_without:
            begun_ = true;
            noticed_.erase(next.node);
            silent_.erase(next.node);
            return let_go(next.node, next.why);
        case claim::begins_with:
            begun_ = true;
            noticed_.erase(next.node);
            return begin_with(next.node, next.at);
        case claim::left:
            return let_go(next.node, next.why);
        case claim::came:
            return attach(next.node);
        case claim::silent:
            return fall_silent(next.node, next.at);
        case claim::stopped:
            silent_.erase(next.node);
            return let_go(next.node, session::reason::stopping);
        case claim::lost:
            noticed_[next.node] = next.at;
            if (silent_.erase(next.node) > 0) let_go(next.node, session::reason::node_lost);
            return;
    }
}

// By now whoever had not noticed has: of those that are left the latest has it.
void presence_timeline::settle(wall_time now) {
    if (!unsure_until_ || *unsure_until_ > now) return;
    const auto at = *unsure_until_;
    if (!rivals_.empty()) {
        const auto last =
            std::ranges::max_element(rivals_, {}, [](const auto& each) { return each.second; });
        attach(last->first);
    }
    unsure_until_.reset();
    show(at);
}

void presence_timeline::take(const statement& next) {
    settle(next.at);
    listen(next);
    show(next.at);
}

void presence_timeline::show(wall_time at) {
    const auto now = look();
    if (now == shown_) return;
    close(std::max(at, from_));
    shown_ = now;
}

// What lasted no time is not told, so that the same may come to stand beside itself.
void presence_timeline::close(wall_time until) {
    if (until <= shown_since_) return;
    segment next{
        .from = std::exchange(shown_since_, until),
        .until = until,
        .where = shown_.where,
        .node = shown_.node,
        .why = shown_.why};
    if (!done_.empty() && next.where != attachment_state::attached) {
        auto& last = done_.back();
        if (last.where == next.where && last.node == next.node && last.why == next.why) {
            last.until = until;
            return;
        }
    }
    done_.push_back(next);
}

std::vector<segment> presence_timeline::finish(wall_time until) {
    settle(until);
    close(until);
    return std::exchange(done_, {});
}

}  // namespace muster::presence::history
