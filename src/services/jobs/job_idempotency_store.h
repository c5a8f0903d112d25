#pragma once

#include "core/model/job.h"
#include "ports/clock.h"
#include "ports/metastore.h"

#include <chrono>
#include <string>

namespace muster::jobs {

// Maps the Idempotency-Key of a client to a job id, so that a repeated request to any server yields
// the same job. The reservation is written to the metastore before the job is written to the
// ledger. If a server dies in between, the next request creates the job with the reserved id. A
// reservation ends with its lease. Thread-safe.
class job_idempotency_store {
public:
    static constexpr std::chrono::seconds lifetime = std::chrono::hours(24);
    static constexpr std::size_t key_bytes_max = 255;

    job_idempotency_store(muster::metastore& metastore, muster::clock& clock)
        : metastore_(metastore), clock_(clock) {}

    struct request {
        std::string user;    // each user has an own set of keys
        std::string key;     // chosen by the client
        std::string digest;  // of the request body
    };
    struct reservation {
        job_id job;
        bool is_new = false;  // the key was not reserved before
    };

    // errc::conflict when the key was used for another request.
    async<reservation> reserve(request request);
    // Reserves the id after `taken`, which another job got in the same microsecond.
    async<reservation> reserve_next(request request, job_id taken);

private:
    async<reservation> put(request request, job_id job, kv::condition when);

    metastore& metastore_;
    muster::clock& clock_;
};

}  // namespace muster::jobs
