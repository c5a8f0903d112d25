#include "core/access/right.h"

#include <doctest/doctest.h>

using namespace muster::access;

namespace {

const zone_parents tree{{"europe", ""}, {"berlin", "europe"}, {"paris", "europe"}, {"asia", ""}};

permissions of(std::vector<grant> given) {
    return permissions(given, built_in_roles());
}

}  // namespace

TEST_CASE("a right's name leads back to it, and what is open to all cannot be given") {
    for (const auto each : all_rights()) CHECK(parse_right(to_string(each)) == each);
    CHECK_FALSE(parse_right("none"));
    CHECK_FALSE(parse_right("self"));
    CHECK_FALSE(parse_right("jobs"));
}

TEST_CASE("an admin of the cluster may do everything everywhere") {
    const auto admin = of({{.role = "admin", .zone = ""}});
    for (const auto each : all_rights()) {
        CHECK(admin.everywhere(each));
        CHECK(admin.in("berlin", each, tree));
    }
}

TEST_CASE("a grant covers its zone and those below, not those beside or above") {
    const auto someone = of({{.role = "operator", .zone = "europe"}});
    CHECK(someone.in("europe", right::jobs_run, tree));
    CHECK(someone.in("berlin", right::jobs_run, tree));
    CHECK_FALSE(someone.in("asia", right::jobs_run, tree));
    CHECK_FALSE(someone.everywhere(right::jobs_run));
    CHECK(someone.anywhere(right::jobs_run));
    CHECK(
        someone.zones(right::jobs_run, tree) == std::set<std::string>{"berlin", "europe", "paris"});

    const auto local = of({{.role = "operator", .zone = "berlin"}});
    CHECK_FALSE(local.in("europe", right::jobs_run, tree));
    CHECK_FALSE(local.in("paris", right::jobs_run, tree));
}

TEST_CASE("rights of several grants add up, each in its own zone") {
    const auto mixed = of({{.role = "viewer", .zone = ""}, {.role = "operator", .zone = "berlin"}});
    CHECK(mixed.in("asia", right::fleet_read, tree));
    CHECK_FALSE(mixed.in("asia", right::jobs_run, tree));
    CHECK(mixed.in("berlin", right::jobs_run, tree));
}

TEST_CASE("a role nobody knows gives nothing, and nobody has nothing but themselves") {
    const auto former = of({{.role = "janitor", .zone = ""}});
    for (const auto each : all_rights()) CHECK_FALSE(former.anywhere(each));
    CHECK(former.everywhere(right::self));
    CHECK(former.everywhere(right::none));
}

TEST_CASE("only admins may change people, override windows and apply a revision by default") {
    for (const auto& [role, given] : built_in_roles()) {
        if (role == "admin") continue;
        for (const auto what :
             {right::people_change, right::windows_override, right::common_apply}) {
            CAPTURE(role);
            CHECK_FALSE(given.contains(what));
        }
    }
}

TEST_CASE("a zone tree with a loop ends") {
    const zone_parents knot{{"a", "b"}, {"b", "a"}};
    CHECK_FALSE(lies_within("a", "c", knot));
    CHECK(lies_within("a", "b", knot));
}
