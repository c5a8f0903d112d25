#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "roles/gateway/job_events.h"
#include "roles/gateway/job_reader.h"
#include "roles/gateway/job_request.h"
#include "roles/gateway/job_targets.h"
#include "roles/gateway/office.h"
#include "roles/jobs/job_desk.h"

#include <functional>
#include <string>

namespace muster::gateway {

// /api/v1/jobs: jobs are made, foreseen, listed, shown, watched and changed. Every change is in the
// audit trail before it is answered. Handlers run on any event loop.
class jobs_api {
public:
    // What windows mean for a job; null: nothing is known about windows.
    using forecaster = std::function<async<boost::json::value>(jobs::job_desk::plan)>;

    // Whether a planned start lies within the windows of all systems that have any (JOB-56).
    using start_check = std::function<result<void>(const job_spec&, const fleet::system_set&)>;

    struct surroundings {
        const front_desk& desk;
        jobs::job_desk& makes;
        const job_reader& reads;
        const job_targets& targets;
        clock& time;
        forecaster forecast = nullptr;
        start_check check_start = nullptr;
    };

    explicit jobs_api(surroundings around);

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;
    struct wish {
        job_id job;
        jobs::order from;
        bool force = false;
    };

    answer make(net::http::request asked);
    answer preview(net::http::request asked);
    answer list(net::http::request asked);
    answer show(net::http::request asked);
    answer follow(net::http::request asked);
    answer pause(net::http::request asked);
    answer resume(net::http::request asked);
    answer cancel(net::http::request asked);
    answer release(net::http::request asked);
    answer retry(net::http::request asked);

    // Whom the request means, with what it asks for.
    result<jobs::job_desk::wanted_job> wanted_by(job_request asked, const std::string& user) const;
    async<wish> read_wish(std::string id, std::string text, std::string user) const;
    answer changed(visitor who, std::string what, wish wanted, async<job_record> work) const;
    async<void> recorded(
        visitor who, std::string what, std::string detail, result<void> outcome) const;

    static answer settled(answer work);
    net::http::handler calling(answer (jobs_api::*method)(net::http::request));

    surroundings around_;
    job_events events_;
};

}  // namespace muster::gateway
