#pragma once

#include "core/model/job.h"
#include "ports/clock.h"
#include "ports/metastore.h"

#include <chrono>
#include <string>

namespace muster::jobs {

// Which job a client's key stands for: the same request sent again, to whatever server, is the same
// job. The claim is in the metastore before the job is in the ledger, and names the id the job will
// have; so whoever finds a claim without a job, because its server died in between, makes that very
// job. A claim ends with its lease. Thread-safe.
class job_idempotency_store {
public:
    static constexpr std::chrono::seconds lifetime = std::chrono::hours(24);
    static constexpr std::size_t key_bytes_max = 255;

    job_idempotency_store(muster::metastore& metastore, muster::clock& clock)
        : metastore_(metastore), clock_(clock) {}

    struct request {
        std::string user;    // keys of different people do not meet
        std::string key;     // as the client chose it
        std::string digest;  // of what is asked for
    };
    struct claim {
        job_id job;
        bool fresh = false;  // nobody had it before
    };

    // errc::conflict when the key was used for another request.
    async<claim> take(request request);
    // Another job got that id in the same microsecond: claims the next one.
    async<claim> take_next(request request, job_id job_id);

private:
    async<claim> put(request request, job_id job, kv::condition when);

    metastore& metastore_;
    muster::clock& clock_;
};

}  // namespace muster::jobs
