#include "apps/agent/tasks/live_output_sender.h"

#include <utility>

namespace muster::agent {

using session::task_name;

void live_output_sender::wrote(task_name task, std::string_view bytes) {
    auto& into = taps_[task].tail;
    into.add(into.end(), bytes);
}

void live_output_sender::want(task_name task, monotonic::duration lease) {
    if (wants_.want(task, lease, time_.now())) wanted_.ring();
}

void live_output_sender::ended(task_name task) {
    const auto it = taps_.find(task);
    if (it != taps_.end() && wants_.wanted(task, time_.now())) {
        auto& last = it->second;
        while (show_next(task, last)) {}
        // Should it find no room, the report says the same.
        to_({.task = task, .offset = last.tail.end(), .content = {}, .ended = true});
    }
    if (it != taps_.end()) taps_.erase(it);
}

boost::asio::awaitable<void> live_output_sender::run() {
    while (true) {
        if (show_all()) {
            const auto slept = co_await time_.sleep_for(interval);
            if (!slept) co_return;
        } else {
            const auto rung = co_await wanted_.wait();
            if (!rung) co_return;
        }
    }
}

// Whether anybody watches anything.
bool live_output_sender::show_all() {
    const auto now = time_.now();
    for (auto& [task, each] : taps_) {
        const bool desired = wants_.wanted(task, now);
        const bool begins = desired && !each.watched;
        each.watched = desired;
        if (begins) each.shown = 0;
        if (desired) show_next(task, each);
    }
    return wants_.any(now);
}

bool live_output_sender::show_next(task_name task, tap& from) {
    const auto next = from.tail.read(from.shown, piece_bytes_max);
    if (!next) return false;
    const piece piece{
        .task = task, .offset = next->offset, .content = next->content, .ended = false};
    if (!to_(piece)) return false;
    from.shown = next->offset + next->content.size();
    return true;
}

}  // namespace muster::agent
