#pragma once

#include "apps/agent/tasks/node_sender.h"
#include "core/session/output_subscriptions.h"
#include "core/session/output_tail.h"
#include "ports/clock.h"
#include "runtime/async_event.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

namespace muster::agent {

// Sends the output of running tasks to subscribers. The end of each task's output is buffered, so
// that a new subscriber sees the latest lines; further output follows at a bounded rate. While the
// connection is congested, output that exceeds the buffer is lost and leaves a gap.
//
// Not thread-safe; call from one event loop.
class live_output_sender {
public:
    static constexpr std::size_t tail_bytes_max = std::size_t{64} * 1024;  // of a task
    static constexpr std::size_t piece_bytes_max = std::size_t{32} * 1024;
    static constexpr std::chrono::milliseconds interval{100};  // between two pieces of a task

    explicit live_output_sender(muster::clock& clock) : clock_(clock) {}
    live_output_sender(const live_output_sender&) = delete;
    live_output_sender& operator=(const live_output_sender&) = delete;

    void add_output(session::task_name task, std::string_view bytes);
    // Sends the remaining output and its end.
    void end_output(session::task_name task);

    void subscribe(session::task_name task, monotonic::duration lease);
    void unsubscribe(session::task_name task) { subscriptions_.unsubscribe(task); }

    void attached(std::shared_ptr<node_sender> node) { node_ = std::move(node); }
    void channel_lost();

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run();

private:
    struct piece {
        session::task_name task;
        std::uint64_t offset = 0;
        std::string_view content;
        bool ended = false;
    };
    struct task_output {
        session::output_tail tail{tail_bytes_max};
        std::uint64_t sent = 0;  // offset
        bool subscribed = false;
    };

    bool send_all();
    bool send_next(session::task_name task, task_output& output);
    bool send(const piece& piece);

    muster::clock& clock_;
    std::shared_ptr<node_sender> node_;  // null while disconnected
    session::output_subscriptions subscriptions_;
    std::map<session::task_name, task_output> outputs_;  // of running tasks
    runtime::async_event subscribed_;
};

}  // namespace muster::agent
