#include "roles/node/dispatch/ledger_work_queue.h"

#include <doctest/doctest.h>

namespace muster::dispatch {
namespace {

open_share share_of(std::int64_t job, std::int64_t system) {
    return {.job = job_id(job), .systems = {system_number(system)}};
}

const open_share& front_share(const ledger_work_queue& queue) {
    return std::get<open_share>(queue.front());
}

TEST_CASE("ledger work is given out in the order it came") {
    ledger_work_queue queue;
    queue.push(share_of(1, 1));
    queue.push(halt_job{.job = job_id(2), .reason = "too many failures"});

    CHECK(front_share(queue).job == job_id(1));
    queue.pop();
    CHECK(std::get<halt_job>(queue.front()).job == job_id(2));
    queue.pop();

    CHECK(queue.is_empty());
}

TEST_CASE("a job is being opened until the last of its shares is done") {
    ledger_work_queue queue;
    queue.push(share_of(1, 1));
    queue.push(share_of(1, 2));

    queue.pop();
    CHECK(queue.is_opening(job_id(1)));
    queue.pop();

    CHECK_FALSE(queue.is_opening(job_id(1)));
}

TEST_CASE("a share that finds no room makes way, is still being opened, and comes back whole") {
    ledger_work_queue queue;
    queue.push(share_of(1, 1));
    queue.push(share_of(1, 2));
    queue.push(share_of(2, 3));

    CHECK(queue.defer_front());
    CHECK_FALSE(queue.defer_front());
    CHECK(front_share(queue).job == job_id(2));
    CHECK(queue.is_opening(job_id(1)));
    queue.pop();
    CHECK(queue.first_deferred() == job_id(1));
    queue.resume_first();

    CHECK(front_share(queue).systems == fleet::system_set{system_number(1), system_number(2)});
    queue.pop();
    CHECK_FALSE(queue.is_opening(job_id(1)));
    CHECK_FALSE(queue.first_deferred().has_value());
}

TEST_CASE("the oldest job that was put off comes back first") {
    ledger_work_queue queue;
    queue.push(share_of(5, 1));
    queue.push(share_of(3, 1));
    queue.defer_front();
    queue.defer_front();

    CHECK(queue.first_deferred() == job_id(3));
}

TEST_CASE("a full queue drops reports and nothing else") {
    ledger_work_queue queue;
    for (std::size_t index = 0; index < ledger_work_queue::length_max; ++index)
        queue.push(late_report{.row = {.job = job_id(1)}});
    CHECK(queue.dropped() == 0);

    queue.push(late_report{.row = {.job = job_id(1)}});
    queue.push(share_of(2, 1));

    CHECK(queue.dropped() == 1);
    CHECK(queue.is_opening(job_id(2)));
}

}  // namespace
}  // namespace muster::dispatch
