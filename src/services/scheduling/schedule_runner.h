#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/windows/window_store.h"

#include <atomic>
#include <string>

namespace muster::scheduling {

// Starts the due runs of recurring schedules. Records a run after its start, so a crash in between
// starts the run again: `start` must create the same job for the same run.
//
// Runs on the server of the active driver; two servers at once do no harm. Not thread-safe; call
// from one strand.
class schedule_runner {
public:
    struct run {
        std::string name;
        windows::stored_schedule schedule;
        schedules::due_run due;
    };
    // Interface: starts runs and records skipped ones.
    class starter {
    public:
        starter() = default;
        starter(const starter&) = delete;
        starter& operator=(const starter&) = delete;
        virtual ~starter() = default;

        // errc::invalid and errc::not_found: the run is skipped and logged, and the schedule goes
        // on. The runner retries after any other error.
        virtual async<void> start(run run) = 0;
        // Record a skipped run, or missed runs. Called before the schedule goes on, so a call may
        // repeat after a crash.
        virtual async<void> record_skipped(run run, error reason) = 0;
        virtual async<void> record_missed(std::string schedule, schedules::due_result due) = 0;
    };
    struct dependencies {
        windows::window_store& windows;
        muster::clock& clock;
        runtime::logger& log;
        starter& run_starter;
    };

    schedule_runner(dependencies deps, std::string server)
        : deps_(std::move(deps)), server_(std::move(server)) {}

    // Runs until it is cancelled. Pauses while `active` is false.
    boost::asio::awaitable<void> run_loop(const std::atomic<bool>& active);
    // Starts all due runs. Continues after a failure; the error names all failures.
    async<void> run_once();

private:
    async<void> run_schedule(std::string name, schedules::due_result due);

    dependencies deps_;
    std::string server_;
};

}  // namespace muster::scheduling
