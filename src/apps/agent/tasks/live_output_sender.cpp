#include "apps/agent/tasks/live_output_sender.h"

#include "adapters/agent_protocol/task_frames.h"

#include <utility>

namespace muster::agent {

using session::task_name;

void live_output_sender::wrote(task_name task, std::string_view bytes) {
    auto& into = taps_[task].tail;
    into.add(into.end(), bytes);
}

void live_output_sender::want(task_name task, monotonic::duration lease) {
    if (wants_.want(task, lease, clock_.now())) wanted_.ring();
}

void live_output_sender::ended(task_name task) {
    const auto it = taps_.find(task);
    if (it != taps_.end() && wants_.wanted(task, clock_.now())) {
        auto& last = it->second;
        while (show_next(task, last)) {}
        // Should it find no room, the report says the same.
        send({.task = task, .offset = last.tail.end(), .content = {}, .ended = true});
    }
    if (it != taps_.end()) taps_.erase(it);
}

void live_output_sender::channel_lost() {
    node_.reset();
    wants_.stop_all();
}

boost::asio::awaitable<void> live_output_sender::run() {
    while (true) {
        if (show_all()) {
            const auto slept = co_await clock_.sleep_for(interval);
            if (!slept) co_return;
        } else {
            const auto rung = co_await wanted_.wait();
            if (!rung) co_return;
        }
    }
}

// Whether anybody watches anything.
bool live_output_sender::show_all() {
    const auto now = clock_.now();
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
    if (!send(piece)) return false;
    from.shown = next->offset + next->content.size();
    return true;
}

// False: there is no room for it now.
bool live_output_sender::send(const piece& piece) {
    if (!node_) return false;
    agent_protocol::Frame frame;
    auto& output = *frame.mutable_output();
    agent_protocol::set_name(*output.mutable_task(), piece.task);
    output.set_offset(piece.offset);
    output.set_content(std::string(piece.content));
    output.set_ended(piece.ended);
    return node_->send_output(frame);
}

}  // namespace muster::agent
