#pragma once

#include "core/fleet/system_set.h"
#include "core/jobs/duration_history.h"
#include "core/model/job.h"
#include "core/rollout/effect.h"
#include "ports/clock.h"
#include "roles/node/dispatch/window_source.h"

#include <map>
#include <optional>

namespace muster::dispatch {

// Tracks on which systems jobs that respect windows may start now, and how long such work takes.
// Returns changes; the owner passes them to the scheduler. Not thread-safe; call from one strand.
class window_gates {
public:
    static constexpr auto validity = window_source::validity;

    window_gates(muster::clock& clock, window_source& windows) : clock_(clock), windows_(windows) {}

    struct change {
        fleet::system_set closed;
        fleet::system_set opened;
    };
    // Checks the windows of the job's systems, and returns what changed since the last check.
    change update(const job_record& job, const fleet::system_set& systems);
    // The windows of these systems are not known yet: they wait.
    void close(job_id job, const fleet::system_set& systems) { gates_[job].closed |= systems; }
    void forget(job_id job) { gates_.erase(job); }

    // Whether the last check is too old for a start, or the window's time has run out.
    bool is_stale(const rollout::attempt_key& task) const;
    bool is_closed(const rollout::attempt_key& task) const;
    // Remaining time of the window, if it matters.
    std::optional<monotonic::duration> remaining_time(const rollout::attempt_key& task) const;

    // Call before the first start: the durations decide whether a task fits into the window.
    async<void> load_durations(job_spec work, fleet::system_set systems);
    void add_duration(const job_spec& work, monotonic::duration duration);

private:
    struct gate {
        fleet::system_set closed;  // as the scheduler knows it
        std::map<wall_time, fleet::system_set> latest_starts;
        instant valid_until{};
    };

    muster::clock& clock_;
    window_source& windows_;
    std::map<job_id, gate> gates_;
    jobs::duration_history durations_;  // as measured on this node
};

}  // namespace muster::dispatch
