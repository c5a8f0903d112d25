#include "apps/agent/tasks/output_taps.h"

#include <utility>

namespace muster::agent {

using session::task_name;

void output_taps::wrote(task_name task, std::string_view bytes) {
    auto& into = taps_[task].tail;
    into.add(into.end(), bytes);
}

void output_taps::want(task_name task, monotonic::duration lease) {
    if (wants_.want(task, lease, time_.now())) wanted_.ring();
}

void output_taps::ended(task_name task) {
    const auto found = taps_.find(task);
    if (found != taps_.end() && wants_.wanted(task, time_.now())) {
        auto& last = found->second;
        while (show_next(task, last)) {}
        // Should it find no room, the report says the same.
        to_({.task = task, .offset = last.tail.end(), .content = {}, .ended = true});
    }
    if (found != taps_.end()) taps_.erase(found);
}

boost::asio::awaitable<void> output_taps::run() {
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
bool output_taps::show_all() {
    const auto now = time_.now();
    for (auto& [task, each] : taps_) {
        const bool wanted = wants_.wanted(task, now);
        const bool begins = wanted && !each.watched;
        each.watched = wanted;
        if (begins) each.shown = 0;
        if (wanted) show_next(task, each);
    }
    return wants_.any(now);
}

bool output_taps::show_next(task_name task, tap& from) {
    const auto next = from.tail.read(from.shown, piece_bytes_max);
    if (!next) return false;
    const piece shown{
        .task = task, .offset = next->offset, .content = next->content, .ended = false};
    if (!to_(shown)) return false;
    from.shown = next->offset + next->content.size();
    return true;
}

}  // namespace muster::agent
