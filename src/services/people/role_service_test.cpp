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
    people_cluster_fixture fixture;
    auto& office = fixture.first.services;
    const auto admin = fixture.as("admin");
    REQUIRE(run_sync(office.roles.add(admin, patcher)).has_value());
    fixture.put_user("jo", {});
    REQUIRE(
        run_sync(office.users.change(
                     admin,
                     "jo",
                     {.grants = std::vector{access::grant{.role = "patcher", .zone = "berlin"}}}))
            .has_value());
    fixture.first.refresh();

    CHECK(fixture.as("jo").may.in("berlin", right::jobs_run, {}));
    CHECK(code_of(run_sync(office.roles.remove(admin, "patcher"))) == errc::conflict);
    const role_service::changes reads{.rights = access::rights{right::jobs_read}};
    REQUIRE(run_sync(office.roles.change(admin, "patcher", reads)).has_value());
    fixture.first.refresh();
    CHECK(fixture.as("jo").may.in("berlin", right::jobs_read, {}));
    CHECK_FALSE(fixture.as("jo").may.anywhere(right::jobs_run));
    REQUIRE(run_sync(office.users.remove(admin, "jo")).has_value());
    CHECK(run_sync(office.roles.remove(admin, "patcher")).has_value());
    CHECK(code_of(run_sync(office.roles.remove(admin, "patcher"))) == errc::not_found);
}

TEST_CASE("built-in roles stay as they are, and names are taken once") {
    people_cluster_fixture fixture;
    auto& roles = fixture.first.services.roles;
    const auto admin = fixture.as("admin");

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
    people_cluster_fixture fixture;
    fixture.put(
        keys::role("viewer"), encode(role_record{.name = "viewer", .rights = {right::jobs_run}}));
    fixture.put_user("jo", {everywhere("viewer")});

    CHECK_FALSE(fixture.as("jo").may.anywhere(right::jobs_run));
}

TEST_CASE("roles are made and changed only by who has all their rights in the whole cluster") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {{.role = "admin", .zone = "europe"}});
    fixture.put(
        keys::role("people"),
        encode(role_record{.name = "people", .rights = {right::people_change}}));
    fixture.put(keys::role("patcher"), encode(patcher));
    fixture.put_user("hr", {everywhere("people")});
    auto& roles = fixture.first.services.roles;
    const auto jo = fixture.as("jo");
    const auto hr = fixture.as("hr");

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
    people_cluster_fixture fixture;
    auto& office = fixture.first.services;
    const auto admin = fixture.as("admin");
    REQUIRE(run_sync(office.roles.add(admin, patcher)).has_value());
    auto other = fixture.add_server();
    fixture.counting.before_commit = [&] {
        REQUIRE(
            run_sync(
                other.services.users.add(
                    admin,
                    {.name = "jo", .grants = {everywhere("patcher")}, .kind = user_kind::service}))
                .has_value());
    };

    CHECK(code_of(run_sync(office.roles.remove(admin, "patcher"))) == errc::unavailable);
    CHECK(fixture.count(keys::roles) == 1);
}

TEST_CASE("a role that is removed while it is being given is not given") {
    people_cluster_fixture fixture;
    auto& office = fixture.first.services;
    const auto admin = fixture.as("admin");
    REQUIRE(run_sync(office.roles.add(admin, patcher)).has_value());
    fixture.put_user("jo", {});
    auto other = fixture.add_server();
    fixture.counting.before_commit = [&] {
        REQUIRE(run_sync(other.services.roles.remove(admin, "patcher")).has_value());
    };

    CHECK(
        code_of(run_sync(
            office.users.change(admin, "jo", {.grants = std::vector{everywhere("patcher")}})))
        == errc::not_found);
    CHECK(fixture.stored("jo").value().grants.empty());
}

TEST_CASE("two who change a role's rights at the same time both do, and none is lost") {
    people_cluster_fixture fixture;
    const auto admin = fixture.as("admin");
    REQUIRE(run_sync(fixture.first.services.roles.add(admin, patcher)).has_value());
    auto other = fixture.add_server();
    fixture.counting.before_commit = [&] {
        REQUIRE(run_sync(other.services.roles.change(
                             admin, "patcher", {.added = access::rights{right::fleet_read}}))
                    .has_value());
    };

    const auto done = run_sync(fixture.first.services.roles.change(
        admin,
        "patcher",
        {.added = access::rights{right::jobs_read}, .removed = access::rights{right::jobs_run}}));

    REQUIRE(done.has_value());
    CHECK(done->rights == access::rights{right::fleet_read, right::jobs_read});
}

}  // namespace
}  // namespace muster::people
