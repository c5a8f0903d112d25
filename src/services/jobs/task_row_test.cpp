#include "services/jobs/task_row.h"

#include <doctest/doctest.h>

#include <chrono>

namespace muster::jobs {
namespace {

constexpr std::size_t rank_cell = 2;

// As the ledger gives it back: with its sequence.
table::row read_back(const task_record& task, std::int64_t rank_more = 0) {
    auto row = encode_task(task);
    row[rank_cell] = std::get<std::int64_t>(row[rank_cell]) + rank_more;
    row.emplace_back(std::int64_t{1});
    return row;
}

task_record told_end() {
    const wall_time began(std::chrono::seconds(1'700'000'000));
    return {
        .job = job_id_at(began),
        .system = 7,
        .state = task_state::failed,
        .picked_up = began,
        .ended = began + std::chrono::seconds(1)};
}

TEST_CASE("a task is read back as it was written") {
    CHECK(decode_task(read_back(told_end())).value().record == told_end());
}

TEST_CASE("rows of servers that ranked a told end below the wait for another attempt can be read") {
    auto waits = told_end();
    waits.state = task_state::queued;
    waits.attempt = 2;

    CHECK(decode_task(read_back(told_end(), -1)).value().record == told_end());
    CHECK(decode_task(read_back(waits, 1)).value().record == waits);
    CHECK(decode_task(read_back(told_end(), -2)).error().code() == errc::corrupt);
}

}  // namespace
}  // namespace muster::jobs
