#include "core/jobs/visibility.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

const system_number web1(1);
const system_number web2(2);
const system_number gone(3);

bool in_fleet(system_number system_number) {
    return system_number != gone;
}

TEST_CASE("a job is seen by who may see all of its systems, and by nobody who may see a part") {
    CHECK(is_visible({web1, web2}, {web1, web2}, in_fleet));
    CHECK_FALSE(is_visible({web1, web2}, {web1}, in_fleet));
    CHECK_FALSE(is_visible({web1, web2}, {}, in_fleet));
}

TEST_CASE("a system that has left the fleet hides no job, and shows none either") {
    CHECK(is_visible({web1, gone}, {web1}, in_fleet));
    CHECK_FALSE(is_visible({gone}, {}, in_fleet));
    CHECK_FALSE(is_visible({}, {}, in_fleet));
}

}  // namespace
}  // namespace muster::jobs
