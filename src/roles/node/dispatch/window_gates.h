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

// Jobs that heed windows: which of their systems may be started on now, and how long work of their
// kind takes. Says what the rollout engine has to be told; telling it is for the owner. Not
// thread-safe; call from one strand.
class window_gates {
public:
    static constexpr auto holds = window_source::holds;

    window_gates(muster::clock& clock, window_source& windows) : clock_(clock), windows_(windows) {}

    struct change {
        fleet::system_set shut;
        fleet::system_set opened;
    };
    // Looks at the windows of the job's systems here, and says what changed since the last look.
    change review(const job_record& job, const fleet::system_set& systems);
    // Of these nothing is known yet: they wait until it is.
    void shut(job_id job, const fleet::system_set& systems) { gates_[job].closed |= systems; }
    void forget(job_id job) { gates_.erase(job); }

    // What is known of the system is too old to start the task upon, or its time has run out.
    bool is_stale(const rollout::attempt_key& task) const;
    bool is_closed(const rollout::attempt_key& task) const;
    // What is left of its window, as far as that matters.
    std::optional<monotonic::duration> time_to_begin(const rollout::attempt_key& task) const;

    // Before the first task is started: whether it fits what is left of a window rests on it.
    async<void> learn(job_spec work, fleet::system_set systems);
    void learn(const job_spec& work, monotonic::duration took);

private:
    struct gate {
        fleet::system_set closed;  // as the engine was told
        std::map<wall_time, fleet::system_set> begin_by;
        instant holds_until{};
    };

    muster::clock& clock_;
    window_source& windows_;
    std::map<job_id, gate> gates_;
    jobs::duration_history durations_;  // as measured on this node
};

}  // namespace muster::dispatch
