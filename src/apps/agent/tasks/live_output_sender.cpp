#include "apps/agent/tasks/live_output_sender.h"

#include "adapters/agent_protocol/task_frames.h"

#include <utility>

namespace muster::agent {

using session::task_name;

void live_output_sender::add_output(task_name task, std::string_view bytes) {
    auto& tail = outputs_[task].tail;
    tail.add(tail.end(), bytes);
}

void live_output_sender::subscribe(task_name task, monotonic::duration lease) {
    if (subscriptions_.subscribe(task, lease, clock_.now())) subscribed_.notify();
}

void live_output_sender::end_output(task_name task) {
    const auto it = outputs_.find(task);
    if (it != outputs_.end() && subscriptions_.is_subscribed(task, clock_.now())) {
        auto& output = it->second;
        while (send_next(task, output)) {}
        // If the queue is full, the report marks the end instead.
        send({.task = task, .offset = output.tail.end(), .content = {}, .ended = true});
    }
    if (it != outputs_.end()) outputs_.erase(it);
}

void live_output_sender::channel_lost() {
    node_.reset();
    subscriptions_.clear();
}

boost::asio::awaitable<void> live_output_sender::run() {
    while (true) {
        if (send_all()) {
            const auto waited = co_await clock_.sleep_for(interval);
            if (!waited) co_return;
        } else {
            const auto notified = co_await subscribed_.wait();
            if (!notified) co_return;
        }
    }
}

// Returns true while there are subscriptions.
bool live_output_sender::send_all() {
    const auto now = clock_.now();
    for (auto& [task, output] : outputs_) {
        const bool subscribed = subscriptions_.is_subscribed(task, now);
        const bool starts = subscribed && !output.subscribed;
        output.subscribed = subscribed;
        if (starts) output.sent = 0;
        if (subscribed) send_next(task, output);
    }
    return subscriptions_.any_active(now);
}

bool live_output_sender::send_next(task_name task, task_output& output) {
    const auto part = output.tail.read(output.sent, piece_bytes_max);
    if (!part) return false;
    const live_output_sender::piece piece{
        .task = task, .offset = part->offset, .content = part->content, .ended = false};
    if (!send(piece)) return false;
    output.sent = part->offset + part->content.size();
    return true;
}

// False if the queue is full.
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
