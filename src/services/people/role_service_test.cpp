#include "services/people/role_service.h"

#include "tests/fixtures/people/people_cluster_fixture.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

using namespace test;

errc code_of(const auto& outcome) {
    REQUIRE_FALSE(outcome.has_value());
    return outcome.error().code();
}

const role_record patcher{.name = "patcher", .rights = {right::jobs_run}, .about = "at night"};

TEST_CASE("a role that was made can be given, changed and, when nobody has it, removed") {
    people_cluster_fixture here;
    auto& office = here.one.office;
    const auto admin = here.as("admin");
    REQUIRE(run_sync(office.roles.add(admin, patcher)).has_value());
    here.put_user("jo", {});
    REQUIRE(
        run_sync(office.users.change(
                     admin,
                     "jo",
                     {.grants = std::vector{access::grant{.role = "patcher", .zone = "berlin"}}}))
            .has_value());
    here.one.catch_up();

    CHECK(here.as("jo").may.in("berlin", right::jobs_run, {}));
    CHECK(code_of(run_sync(office.roles.remove(admin, "patcher"))) == errc::conflict);
    const role_service::changes reads{.rights = access::rights{right::jobs_read}};
    REQUIRE(run_sync(office.roles.change(admin, "patcher", reads)).has_value());
    here.one.catch_up();
    CHECK(here.as("jo").may.in("berlin", right::jobs_read, {}));
    CHECK_FALSE(here.as("jo").may.anywhere(right::jobs_run));
    REQUIRE(run_sync(office.users.remove(admin, "jo")).has_value());
    CHECK(run_sync(office.roles.remove(admin, "patcher")).has_value());
    CHECK(code_of(run_sync(office.roles.remove(admin, "patcher"))) == errc::not_found);
}

TEST_CASE("built-in roles stay as they are, and names are taken once") {
    people_cluster_fixture here;
    auto& roles = here.one.office.roles;
    const auto admin = here.as("admin");

    for (const auto& [name, rights] : access::built_in_roles()) {
        CHECK(code_of(run_sync(roles.add(admin, {.name = name}))) == errc::conflict);
        CHECK(code_of(run_sync(roles.change(admin, name, {}))) == errc::conflict);
        CHECK(code_of(run_sync(roles.remove(admin, name))) == errc::conflict);
    }
    REQUIRE(run_sync(roles.add(admin, patcher)).has_value());
    CHECK(code_of(run_sync(roles.add(admin, patcher))) == errc::conflict);
    CHECK(code_of(run_sync(roles.add(admin, {.name = "a/b"}))) == errc::invalid);
}

TEST_CASE("a record of a built-in role's name does not change what it allows") {
    people_cluster_fixture here;
    here.put(
        keys::role("viewer"), encode(role_record{.name = "viewer", .rights = {right::jobs_run}}));
    here.put_user("jo", {everywhere("viewer")});

    CHECK_FALSE(here.as("jo").may.anywhere(right::jobs_run));
}

TEST_CASE("roles are made and changed only by who has all their rights in the whole cluster") {
    people_cluster_fixture here;
    here.put_user("jo", {{.role = "admin", .zone = "europe"}});
    here.put(
        keys::role("people"),
        encode(role_record{.name = "people", .rights = {right::people_change}}));
    here.put(keys::role("patcher"), encode(patcher));
    here.put_user("hr", {everywhere("people")});
    auto& roles = here.one.office.roles;
    const auto jo = here.as("jo");
    const auto hr = here.as("hr");

    CHECK(code_of(run_sync(roles.add(jo, {.name = "mine"}))) == errc::denied);
    CHECK(
        code_of(run_sync(roles.add(hr, {.name = "mine", .rights = {right::jobs_run}})))
        == errc::denied);
    CHECK(
        code_of(run_sync(roles.change(hr, "patcher", {.rights = access::rights{}})))
        == errc::denied);
    CHECK(
        code_of(run_sync(roles.change(
            hr, "people", {.rights = access::rights{right::people_change, right::jobs_run}})))
        == errc::denied);
    CHECK(code_of(run_sync(roles.remove(hr, "patcher"))) == errc::denied);
}

TEST_CASE("a role that is given while it is being removed stays") {
    people_cluster_fixture here;
    auto& office = here.one.office;
    const auto admin = here.as("admin");
    REQUIRE(run_sync(office.roles.add(admin, patcher)).has_value());
    auto other = here.another();
    here.counted.before_commit = [&] {
        REQUIRE(
            run_sync(
                other.office.users.add(
                    admin,
                    {.name = "jo", .grants = {everywhere("patcher")}, .kind = user_kind::service}))
                .has_value());
    };

    CHECK(code_of(run_sync(office.roles.remove(admin, "patcher"))) == errc::unavailable);
    CHECK(here.count(keys::roles) == 1);
}

TEST_CASE("a role that is removed while it is being given is not given") {
    people_cluster_fixture here;
    auto& office = here.one.office;
    const auto admin = here.as("admin");
    REQUIRE(run_sync(office.roles.add(admin, patcher)).has_value());
    here.put_user("jo", {});
    auto other = here.another();
    here.counted.before_commit = [&] {
        REQUIRE(run_sync(other.office.roles.remove(admin, "patcher")).has_value());
    };

    CHECK(
        code_of(run_sync(
            office.users.change(admin, "jo", {.grants = std::vector{everywhere("patcher")}})))
        == errc::not_found);
    CHECK(here.stored("jo").value().grants.empty());
}

TEST_CASE("two who change a role's rights at the same time both do, and none is lost") {
    people_cluster_fixture here;
    const auto admin = here.as("admin");
    REQUIRE(run_sync(here.one.office.roles.add(admin, patcher)).has_value());
    auto other = here.another();
    here.counted.before_commit = [&] {
        REQUIRE(run_sync(other.office.roles.change(
                             admin, "patcher", {.given = access::rights{right::fleet_read}}))
                    .has_value());
    };

    const auto done = run_sync(here.one.office.roles.change(
        admin,
        "patcher",
        {.given = access::rights{right::jobs_read}, .taken = access::rights{right::jobs_run}}));

    REQUIRE(done.has_value());
    CHECK(done->rights == access::rights{right::fleet_read, right::jobs_read});
}

}  // namespace
}  // namespace muster::people
