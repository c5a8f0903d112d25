#include "apps/muster/server/staffing.h"

#include <doctest/doctest.h>

namespace muster::server {
namespace {

TEST_CASE("PAM is asked only where it is set up") {
    server_options how;
    CHECK_FALSE(staffing(how, [] {}).outside);

    how.pam_service = "muster";
    CHECK(staffing(how, [] {}).outside);
}

TEST_CASE("the first password is of no use once the first user has another one") {
    int spent = 0;
    const auto people = staffing({}, [&spent] { ++spent; });

    people.password_changed("jo");
    CHECK(spent == 0);
    people.password_changed("admin");
    CHECK(spent == 1);
}

}  // namespace
}  // namespace muster::server
