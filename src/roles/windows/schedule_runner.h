#pragma once

#include "ports/clock.h"
#include "roles/windows/window_book.h"
#include "runtime/log.h"

#include <functional>
#include <string>

namespace muster::windows {

// Starts what recurring schedules have due. The start comes first and is noted then, so a crash in
// between starts the same run again: `start` must make the same job for the same run.
//
// Works on one server at a time, that of the active driver; two at once do no harm.
class schedule_runner {
public:
    struct run {
        std::string name;
        stored_schedule what;
        schedules::due_run due;
    };
    struct surroundings {
        window_book& book;
        clock& time;
        runtime::logger& log;
        // errc::invalid and errc::not_found: this run cannot be; it is told in the log, and the
        // schedule goes on. Any other error: it is tried again.
        std::function<async<void>(run)> start;
        // Tells that a run cannot be, and why, or that runs were missed; null: only the log does.
        // Before the schedule goes on, so it may be told again.
        std::function<async<void>(run, error)> left_out = nullptr;
        std::function<async<void>(std::string name, schedules::due_answer)> missed = nullptr;
    };

    schedule_runner(surroundings around, std::string server)
        : around_(std::move(around)), server_(std::move(server)) {}

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> keep(std::function<bool()> active);
    // Whatever is due now. One that cannot be started holds up no other; the error tells of all.
    async<void> look();

private:
    async<void> consider(std::string name, schedules::due_answer due);

    surroundings around_;
    std::string server_;
};

}  // namespace muster::windows
