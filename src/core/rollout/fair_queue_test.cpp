#include "core/rollout/fair_queue.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::rollout {
namespace {

std::vector<std::int64_t> next(fair_queue& order, int count) {
    std::vector<std::int64_t> whose;
    for (int index = 0; index < count; ++index) {
        whose.push_back(order.current().value());
        order.spend();
    }
    return whose;
}

TEST_CASE("each job starts as many tasks in its turn as it has weight") {
    fair_queue order;
    order.add(job_id(1), 0, 1);
    order.add(job_id(2), 0, 2);

    CHECK(next(order, 6) == std::vector<std::int64_t>{1, 2, 2, 1, 2, 2});
}

TEST_CASE("a higher priority goes before all others") {
    fair_queue order;
    order.add(job_id(1), -5, 9);
    order.add(job_id(2), 7, 1);

    CHECK(next(order, 3) == std::vector<std::int64_t>{2, 2, 2});
    order.remove(job_id(2));
    CHECK(next(order, 1) == std::vector<std::int64_t>{1});
}

TEST_CASE("who enters twice has one place, and who left has none") {
    fair_queue order;
    order.add(job_id(1), 0, 1);
    order.add(job_id(1), 0, 1);
    order.add(job_id(2), 0, 1);
    order.remove(job_id(2));
    order.remove(job_id(2));

    CHECK(next(order, 2) == std::vector<std::int64_t>{1, 1});
    order.remove(job_id(1));
    CHECK(order.empty());
}

TEST_CASE("a job without weight still gets its turn") {
    fair_queue order;
    order.add(job_id(1), 0, 0);
    order.add(job_id(2), 0, 1);

    CHECK(next(order, 4) == std::vector<std::int64_t>{1, 2, 1, 2});
}

}  // namespace
}  // namespace muster::rollout
