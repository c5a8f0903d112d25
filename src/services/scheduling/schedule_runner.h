#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/windows/window_store.h"

#include <atomic>
#include <string>

namespace muster::scheduling {

// Starts what recurring schedules have due. The start comes first and is noted then, so a crash in
// between starts the same run again: `start` must make the same job for the same run.
//
// Works on one server at a time, that of the active driver; two at once do no harm.
class schedule_runner {
public:
    struct run {
        std::string name;
        windows::stored_schedule what;
        schedules::due_run due;
    };
    // Makes something of a run.
    class starter {
    public:
        starter() = default;
        starter(const starter&) = delete;
        starter& operator=(const starter&) = delete;
        virtual ~starter() = default;

        // errc::invalid and errc::not_found: this run cannot be; it is told in the log, and the
        // schedule goes on. Any other error: it is tried again.
        virtual async<void> start(run run) = 0;
        // Tells that a run cannot be, and why, or that runs were missed. Before the schedule goes
        // on, so it may be told again.
        virtual async<void> tell_left_out(run run, error why) = 0;
        virtual async<void> tell_missed(std::string schedule, schedules::due_answer due) = 0;
    };
    struct dependencies {
        windows::window_store& windows;
        muster::clock& clock;
        runtime::logger& log;
        starter& starts;
    };

    schedule_runner(dependencies deps, std::string server)
        : deps_(std::move(deps)), server_(std::move(server)) {}

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> keep(const std::atomic<bool>& active);
    // Whatever is due now. One that cannot be started holds up no other; the error tells of all.
    async<void> look();

private:
    async<void> consider(std::string name, schedules::due_answer due);

    dependencies deps_;
    std::string server_;
};

}  // namespace muster::scheduling
