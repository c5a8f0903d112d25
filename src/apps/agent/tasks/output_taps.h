#pragma once

#include "core/session/output_tail.h"
#include "core/session/output_wants.h"
#include "ports/clock.h"
#include "runtime/bell.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

namespace muster::agent {

// Shows the output of running tasks to whoever wants it. The end of each task's output is kept, so
// that somebody who begins to watch sees what came last; from there on it is sent at a bounded
// rate. When the way is blocked it waits, and what the tail cannot hold meanwhile is a gap.
//
// Lives on one event loop.
class output_taps {
public:
    static constexpr std::size_t tail_bytes_max = std::size_t{64} * 1024;  // of a task
    static constexpr std::size_t piece_bytes_max = std::size_t{32} * 1024;
    static constexpr std::chrono::milliseconds interval{100};  // between two pieces of a task

    struct piece {
        session::task_name task;
        std::uint64_t offset = 0;
        std::string_view content;
        bool ended = false;
    };
    // False: there is no room for it now.
    using sender = std::function<bool(const piece&)>;

    output_taps(clock& time, sender to) : time_(time), to_(std::move(to)) {}
    output_taps(const output_taps&) = delete;
    output_taps& operator=(const output_taps&) = delete;

    void wrote(session::task_name task, std::string_view bytes);
    // Shows the rest of it and that it was the last.
    void ended(session::task_name task);

    void want(session::task_name task, monotonic::duration lease);
    void stop(session::task_name task) { wants_.stop(task); }
    void channel_lost() { wants_.stop_all(); }

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

private:
    struct tap {
        session::output_tail tail{tail_bytes_max};
        std::uint64_t shown = 0;  // up to here
        bool watched = false;
    };

    bool show_all();
    bool show_next(session::task_name task, tap& from);

    clock& time_;
    sender to_;
    session::output_wants wants_;
    std::map<session::task_name, tap> taps_;  // of what runs
    runtime::bell wanted_;
};

}  // namespace muster::agent
