#pragma once

#include "ports/clock.h"
#include "roles/gateway/returns_api.h"
#include "roles/jobs/duration_reader.h"
#include "roles/jobs/job_desk.h"
#include "roles/windows/window_book.h"

#include <boost/json/value.hpp>

#include <chrono>

namespace muster::server {

// What to count with, of times that were measured.
std::chrono::seconds expected_of(const jobs::duration_history::measured& took);

// What maintenance windows mean for jobs, with the time that such work took before. Thread-safe.
class window_sense {
public:
    window_sense(const windows::window_book& book, jobs::duration_reader& durations, clock& time)
        : book_(book), durations_(durations), time_(time) {}

    // How many systems a job will finish in which window. Null for a job that heeds none.
    async<boost::json::value> foresee(jobs::job_desk::plan made);
    // Whether such work may start on the system now, and why not.
    async<gateway::returns_api::window_answer> of(system_number system, job_spec work);

    // Of these, who has a maintenance schedule.
    result<fleet::system_set> with_schedule(const fleet::system_set& among) const;

    // A planned start outside of a window is refused, with the windows to come (JOB-56).
    result<void> check_start(const job_spec& spec, const fleet::system_set& targets) const;

    // Whether a job may heed no window because somebody says it is an emergency: errc::denied when
    // policy forbids that (JOB-64).
    result<void> check_override(const job_spec& spec) const;

private:
    const windows::window_book& book_;
    jobs::duration_reader& durations_;
    clock& time_;
};

}  // namespace muster::server
