#include "roles/node/dispatch/unrecorded_pickups.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr instant start(1h);

task_record row_of(std::int64_t system, std::uint32_t attempt = 1) {
    return {.job = job_id(7), .system = system, .attempt = attempt};
}

struct record {
    std::size_t room = 100;
    std::vector<std::int64_t> systems;

    bool operator()(const task_record& row) {
        if (room == 0) return false;
        --room;
        systems.push_back(row.system);
        return true;
    }
};

std::vector<std::int64_t> written(unrecorded_pickups& from, instant until, std::size_t room = 100) {
    record into{.room = room, .systems = {}};
    from.write(until, [&into](const task_record& row) { return into(row); });
    return into.systems;
}

using systems = std::vector<std::int64_t>;

TEST_CASE("pickups are written when they are old enough, oldest first and once") {
    unrecorded_pickups pickups;
    pickups.add(row_of(9), start);
    pickups.add(row_of(1), start + 1s);
    pickups.add(row_of(5), start + 2s);

    CHECK(written(pickups, start + 1s) == systems{9, 1});
    CHECK(written(pickups, start + 1h) == systems{5});
    CHECK(written(pickups, start + 2h).empty());
}

TEST_CASE("a task that ended meanwhile is not written as picked up") {
    unrecorded_pickups pickups;
    pickups.add(row_of(1), start);
    pickups.add(row_of(2), start);

    pickups.remove(job_id(7), 1);

    CHECK(written(pickups, start + 1h) == systems{2});
}

TEST_CASE("a task that is said to be picked up again keeps its place in line") {
    unrecorded_pickups pickups;
    pickups.add(row_of(1), start);
    pickups.add(row_of(1), start + 10s);

    CHECK(written(pickups, start) == systems{1});
    CHECK(written(pickups, start + 1h).empty());
}

TEST_CASE("what the record refuses is written later") {
    unrecorded_pickups pickups;
    pickups.add(row_of(1), start);
    pickups.add(row_of(2), start);

    CHECK(written(pickups, start, 1) == systems{1});
    CHECK(written(pickups, start) == systems{2});
}

}  // namespace
}  // namespace muster::dispatch
