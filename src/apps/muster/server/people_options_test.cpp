#include "apps/muster/server/people_options.h"

#include <doctest/doctest.h>

namespace muster::server {
namespace {

TEST_CASE("PAM is asked only where it is set up") {
    server_options options;
    CHECK_FALSE(staffing(options, [] {}).outside);

    options.pam_service = "muster";
    CHECK(staffing(options, [] {}).outside);
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
