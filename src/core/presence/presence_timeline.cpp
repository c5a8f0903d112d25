#include "core/presence/presence_timeline.h"

#include <algorithm>
#include <utility>

namespace muster::presence::history {

presence_timeline::view presence_timeline::current_view() const {
    if (!started_) return {};
    if (attached_to_ && !unsure_until_ && !silent_.contains(*attached_to_))
        return {
            .state = attachment_state::attached, .node = *attached_to_, .attachment = attachments_};
    if (attached_to_) return {.state = attachment_state::unknown, .node = *attached_to_};
    if (!silent_.empty()) return {.state = attachment_state::unknown, .node = *silent_.begin()};
    return {.state = attachment_state::away, .node = last_node_, .why = why_};
}

void presence_timeline::attach(node_number node) {
    ++attachments_;
    attached_to_ = last_node_ = node;
    rivals_.clear();
    unsure_until_.reset();
}

void presence_timeline::start_attached(node_number node, wall_time at) {
    silent_.erase(node);
    if (attached_to_ == node) return;
    // The other node is silent, so this one is trusted.
    if (!attached_to_ || silent_.contains(*attached_to_)) return attach(node);
    rivals_[node] = at;
    unsure_until_ = at + unnoticed_;
}

// The next rival stays uncertain, because it may be the node that has not noticed.
void presence_timeline::detach(node_number node, session::reason why) {
    rivals_.erase(node);
    if (attached_to_ == node) {
        attached_to_.reset();
        why_ = why;
    }
    if (!attached_to_ && !rivals_.empty()) {
        const auto unsure_until = unsure_until_;
        const auto latest =
            std::ranges::max_element(rivals_, {}, [](const auto& rival) { return rival.second; });
        const auto remaining = std::exchange(rivals_, {});
        attach(latest->first);
        unsure_until_ = unsure_until;
        for (const auto& rival : remaining)
            if (rival.first != *attached_to_) rivals_.insert(rival);
    }
    if (!attached_to_) unsure_until_.reset();
}

void presence_timeline::on_silent(node_number node, wall_time at) {
    silent_.insert(node);
    const auto it = missed_at_.find(node);
    if (it == missed_at_.end() || at - it->second > notice_before) return;
    silent_.erase(node);
    detach(node, session::reason::node_lost);
}

void presence_timeline::apply(const statement& statement) {
    switch (statement.kind) {
        case statement_kind::starts_detached:
            started_ = true;
            missed_at_.erase(statement.node);
            silent_.erase(statement.node);
            return detach(statement.node, statement.why);
        case statement_kind::starts_attached:
            started_ = true;
            missed_at_.erase(statement.node);
            return start_attached(statement.node, statement.at);
        case statement_kind::detached:
            return detach(statement.node, statement.why);
        case statement_kind::attached:
            return attach(statement.node);
        case statement_kind::silent:
            return on_silent(statement.node, statement.at);
        case statement_kind::stopped:
            silent_.erase(statement.node);
            return detach(statement.node, session::reason::stopping);
        case statement_kind::lost:
            missed_at_[statement.node] = statement.at;
            if (silent_.erase(statement.node) > 0)
                detach(statement.node, session::reason::node_lost);
            return;
    }
}

// By now every node has noticed a detach; so the latest of the remaining rivals is right.
void presence_timeline::resolve_rivals(wall_time now) {
    if (!unsure_until_ || *unsure_until_ > now) return;
    const auto resolved_at = *unsure_until_;
    if (!rivals_.empty()) {
        const auto latest =
            std::ranges::max_element(rivals_, {}, [](const auto& rival) { return rival.second; });
        attach(latest->first);
    }
    unsure_until_.reset();
    update_view(resolved_at);
}

void presence_timeline::add(const statement& statement) {
    resolve_rivals(statement.at);
    apply(statement);
    update_view(statement.at);
}

void presence_timeline::update_view(wall_time at) {
    const auto current = current_view();
    if (current == view_) return;
    close_segment(std::max(at, from_));
    view_ = current;
}

// Skips empty segments, and merges equal neighbours that this makes adjacent.
void presence_timeline::close_segment(wall_time until) {
    if (until <= view_since_) return;
    segment next{
        .from = std::exchange(view_since_, until),
        .until = until,
        .state = view_.state,
        .node = view_.node,
        .why = view_.why};
    if (!segments_.empty() && next.state != attachment_state::attached) {
        auto& last = segments_.back();
        if (last.state == next.state && last.node == next.node && last.why == next.why) {
            last.until = until;
            return;
        }
    }
    segments_.push_back(next);
}

std::vector<segment> presence_timeline::finish(wall_time until) {
    resolve_rivals(until);
    close_segment(until);
    return std::exchange(segments_, {});
}

}  // namespace muster::presence::history
