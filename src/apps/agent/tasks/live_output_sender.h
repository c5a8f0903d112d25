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

// Shows the output of running tasks to whoever wants it. The end of each task's output is kept, so
// that somebody who begins to watch sees what came last; from there on it is sent at a bounded
// rate. When the way is blocked it waits, and what the tail cannot hold meanwhile is a gap.
//
// Lives on one event loop.
class live_output_sender {
public:
    static constexpr std::size_t tail_bytes_max = std::size_t{64} * 1024;  // of a task
    static constexpr std::size_t piece_bytes_max = std::size_t{32} * 1024;
    static constexpr std::chrono::milliseconds interval{100};  // between two pieces of a task

    explicit live_output_sender(muster::clock& clock) : clock_(clock) {}
    live_output_sender(const live_output_sender&) = delete;
    live_output_sender& operator=(const live_output_sender&) = delete;

    void wrote(session::task_name task, std::string_view bytes);
    // Shows the rest of it and that it was the last.
    void ended(session::task_name task);

    void want(session::task_name task, monotonic::duration lease);
    void stop(session::task_name task) { wants_.stop(task); }

    void attached(std::shared_ptr<node_sender> node) { node_ = std::move(node); }
    void channel_lost();

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

private:
    struct piece {
        session::task_name task;
        std::uint64_t offset = 0;
        std::string_view content;
        bool ended = false;
    };
    struct tap {
        session::output_tail tail{tail_bytes_max};
        std::uint64_t shown = 0;  // up to here
        bool watched = false;
    };

    bool show_all();
    bool show_next(session::task_name task, tap& from);
    bool send(const piece& piece);

    muster::clock& clock_;
    std::shared_ptr<node_sender> node_;  // while a channel stands
    session::output_subscriptions wants_;
    std::map<session::task_name, tap> taps_;  // of what runs
    runtime::async_event wanted_;
};

}  // namespace muster::agent
