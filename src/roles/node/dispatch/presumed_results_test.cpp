#include "roles/node/dispatch/presumed_results.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace muster::dispatch {
namespace {

// A record that takes so many rows until it has room again.
struct narrow_record {
    std::size_t room = 0;
    std::vector<std::pair<std::int64_t, std::string>> rows;

    auto door() {
        return [this](task_record row) {
            if (room == 0) return false;
            --room;
            rows.emplace_back(row.system, row.reason);
            return true;
        };
    }
};

fleet::system_set systems(std::int64_t first, std::int64_t last) {
    return fleet::system_set::range(system_number(first), system_number(last));
}

TEST_CASE("ends that the record has no room for come when it has, each of them once") {
    presumed_results ends;
    narrow_record record{.room = 2};
    ends.add({.job = job_id(7), .reason = "away"}, systems(1, 3));
    ends.add({.job = job_id(7), .reason = "nobody knows it"}, systems(9, 9));

    ends.write(record.door());
    CHECK(record.rows.size() == 2);
    CHECK_FALSE(ends.empty());
    ends.write(record.door());
    CHECK(record.rows.size() == 2);
    record.room = 10;
    ends.write(record.door());

    CHECK(
        record.rows
        == std::vector<std::pair<std::int64_t, std::string>>{
            {1, "away"}, {2, "away"}, {3, "away"}, {9, "nobody knows it"}});
    CHECK(ends.empty());
}

TEST_CASE("of systems that are another node's by now nothing is presumed any more") {
    presumed_results ends;
    narrow_record record;
    ends.add({.job = job_id(7), .reason = "away"}, systems(1, 3));
    ends.add({.job = job_id(7), .reason = "away"}, systems(4, 4));
    ends.write(record.door());

    ends.remove(systems(2, 4));
    record.room = 10;
    ends.write(record.door());

    CHECK(record.rows == std::vector<std::pair<std::int64_t, std::string>>{{1, "away"}});
    CHECK(ends.empty());
}

}  // namespace
}  // namespace muster::dispatch
