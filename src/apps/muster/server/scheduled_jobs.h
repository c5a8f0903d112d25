#pragma once

#include "core/fleet/system_set.h"
#include "roles/jobs/job_desk.h"
#include "roles/windows/schedule_runner.h"

#include <functional>
#include <string>

namespace muster::server {

// Makes a job of a run that a recurring schedule has due. Its targets are those the query means at
// that moment. The same run is the same job, however often it is started.
class scheduled_jobs {
public:
    struct surroundings {
        jobs::job_desk& desk;
        const windows::window_book& windows;
        runtime::logger& log;
        std::function<result<fleet::system_set>(const std::string& query)> resolve;
    };

    explicit scheduled_jobs(surroundings around) : around_(std::move(around)) {}

    async<void> start(windows::schedule_runner::run run);

private:
    surroundings around_;
};

// What a schedule's arguments are to its function: an object as it is, a list as the command that
// `cmd.run` runs. errc::invalid for anything else.
result<std::string> arguments_of(const windows::stored_schedule& schedule);

}  // namespace muster::server
