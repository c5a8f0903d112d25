#pragma once

#include "api/operations/registry.h"
#include "api/rest/job_detail_reader.h"
#include "api/rest/job_events.h"
#include "api/rest/job_request.h"
#include "services/fleet/target_resolver.h"
#include "services/jobs/job_service.h"

#include <string>

namespace muster::api {

// Jobs are made, foreseen, listed, shown, watched and changed.
//
// Whoever has the right in some zones only means by a query the systems there, and sees the jobs
// whose systems are all there.
class jobs_api {
public:
    struct dependencies {
        jobs::job_service& job_service;
        const job_detail_reader& reader;
        const fleet::target_resolver& targets;
        muster::clock& clock;
        jobs::job_windows* windows = nullptr;  // null: nothing is known about them
    };

    explicit jobs_api(dependencies deps);

    result<void> declare(registry& to);

private:
    struct job_call {
        job_id job;
        jobs::order from;
        bool force = false;
    };

    async<reply> make(call call);
    async<reply> preview(call call);
    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> follow(call call);
    async<reply> list_plans(call call);
    async<reply> pause(call call);
    async<reply> resume(call call);
    async<reply> cancel(call call);
    async<reply> release(call call);
    async<reply> retry(call call);

    // The page that begins at a cursor as it is told, and the next one's.
    async<jobs::job_store::listed> page_from(call call, std::string start) const;
    // Whether the caller may see it, and it is for a system of the zone that was asked for.
    async<bool> is_listed(call call, job_id job) const;

    result<void> declare_list(registry& to);
    result<void> declare_reading(registry& to);
    result<void> declare_plans(registry& to);
    // What changes systems outside of their windows is an override, whatever it is called:
    // errc::denied without the right.
    result<job_spec::window_rule> settle_windows(
        const call& call, const jobs::job_service::new_job& new_job) const;
    // As it is shown; null for a job that heeds no windows.
    async<boost::json::value> forecast_of(jobs::job_plan job_plan) const;
    async<bool> meets_windows(job_id job) const;
    async<boost::json::object> plan_of(jobs::stored_job job) const;
    // Whom the call means, with what it asks for.
    result<jobs::job_service::new_job> wanted_by(const call& call) const;
    result<fleet::system_set> targets_of(const call& call, const job_request& request) const;
    async<jobs::stored_job> find(call call) const;
    async<void> check_visible(call call, job_id job) const;
    async<job_call> read_wish(call call) const;
    async<reply> changed(job_call job_call, async<job_record> work) const;

    dependencies deps_;
    job_events events_;
};

}  // namespace muster::api
