#pragma once

#include "api/rest/job_events.h"
#include "api/rest/job_reader.h"
#include "api/rest/job_request.h"
#include "api/rest/job_targets.h"
#include "api/operations/registry.h"
#include "services/jobs/job_desk.h"

#include <string>

namespace muster::api {

// Jobs are made, foreseen, listed, shown, watched and changed.
//
// Whoever has the right in some zones only means by a query the systems there, and sees the jobs
// whose systems are all there.
class jobs_api {
public:
    struct surroundings {
        jobs::job_desk& makes;
        const job_reader& reads;
        const job_targets& targets;
        clock& time;
        jobs::job_windows* windows = nullptr;  // null: nothing is known about them
    };

    explicit jobs_api(surroundings around);

    result<void> declare(registry& to);

private:
    struct wish {
        job_id job;
        jobs::order from;
        bool force = false;
    };

    async<reply> make(call asked);
    async<reply> preview(call asked);
    async<reply> list(call asked);
    async<reply> show(call asked);
    async<reply> follow(call asked);
    async<reply> list_plans(call asked);
    async<reply> pause(call asked);
    async<reply> resume(call asked);
    async<reply> cancel(call asked);
    async<reply> release(call asked);
    async<reply> retry(call asked);

    // The page that begins at a cursor as it is told, and the next one's.
    async<jobs::job_ledger::listed> page_from(call asked, std::string start) const;
    // Whether the caller may see it, and it is for a system of the zone that was asked for.
    async<bool> is_listed(call asked, job_id job) const;

    result<void> declare_list(registry& to);
    result<void> declare_reading(registry& to);
    result<void> declare_plans(registry& to);
    // What changes systems outside of their windows is an override, whatever it is called:
    // errc::denied without the right.
    result<job_spec::window_rule> settle_windows(
        const call& asked, const jobs::job_desk::wanted_job& wanted) const;
    // As it is shown; null for a job that heeds no windows.
    async<boost::json::value> forecast_of(jobs::job_plan made) const;
    async<bool> meets_windows(job_id job) const;
    async<boost::json::object> plan_of(jobs::stored_job job) const;
    // Whom the call means, with what it asks for.
    result<jobs::job_desk::wanted_job> wanted_by(const call& asked) const;
    result<fleet::system_set> targets_of(const call& asked, const job_request& request) const;
    async<jobs::stored_job> find(call asked) const;
    async<void> check_visible(call asked, job_id job) const;
    async<wish> read_wish(call asked) const;
    async<reply> changed(wish wanted, async<job_record> work) const;

    surroundings around_;
    job_events events_;
};

}  // namespace muster::api
