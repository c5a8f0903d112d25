#pragma once

#include "api/operations/registry.h"
#include "api/rest/job_detail_reader.h"
#include "api/rest/job_events.h"
#include "api/rest/job_request.h"
#include "services/fleet/target_resolver.h"
#include "services/jobs/job_service.h"

#include <string>

namespace muster::api {

// Creates, previews, lists, shows, follows and changes jobs. Thread-safe.
//
// For callers restricted to zones, a query matches only systems of these zones, and only jobs whose
// systems are all in these zones are visible.
class jobs_api {
public:
    struct dependencies {
        jobs::job_service& job_service;
        const job_detail_reader& reader;
        const fleet::target_resolver& targets;
        muster::clock& clock;
        jobs::job_windows* windows = nullptr;  // null: no maintenance windows
    };

    explicit jobs_api(dependencies deps);

    result<void> declare(registry& operations);

private:
    struct job_call {
        job_id job;
        jobs::change_origin author;
        bool force = false;
    };

    async<reply> create(call call);
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

    // The page that begins at a cursor, with the cursor of the next page.
    async<jobs::job_store::job_page> read_page(call call, std::string start) const;
    // Whether the caller may see the job, and a target is in the requested zone.
    async<bool> is_listed(call call, job_id job) const;

    result<void> declare_list(registry& operations);
    result<void> declare_reading(registry& operations);
    result<void> declare_plans(registry& operations);
    // A job that changes systems outside of their windows is an override, whatever rule was
    // requested: errc::denied without the right.
    result<job_spec::window_rule> decide_window_rule(
        const call& call, const jobs::job_service::new_job& new_job) const;
    // Null for a job that ignores windows.
    async<boost::json::value> forecast_json_of(jobs::job_plan job_plan) const;
    async<bool> has_windows(job_id job) const;
    async<boost::json::object> plan_json_of(jobs::stored_job job) const;
    // The requested job with its resolved targets.
    result<jobs::job_service::new_job> read_new_job(const call& call) const;
    result<fleet::system_set> find_targets(const call& call, const job_request& request) const;
    async<jobs::stored_job> find(call call) const;
    async<void> check_visible(call call, job_id job) const;
    async<job_call> read_job_call(call call) const;
    async<reply> apply_change(job_call job_call, async<job_record> work) const;

    dependencies deps_;
    job_events events_;
};

}  // namespace muster::api
