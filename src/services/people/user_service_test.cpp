#include "services/people/user_service.h"

#include "core/access/account_rules.h"
#include "tests/fixtures/people/people_cluster_fixture.h"

#include <doctest/doctest.h>

#include <thread>

namespace muster::people {
namespace {

using namespace test;

errc code_of(const auto& outcome) {
    REQUIRE_FALSE(outcome.has_value());
    return outcome.error().code();
}

TEST_CASE("a new user logs in with the password that was made up, and has to change it") {
    people_cluster_fixture fixture;
    auto& users = fixture.first.services.users;
    const auto admin = fixture.as("admin");

    const auto added =
        run_sync(users.add(admin, {.name = "jo", .grants = {{.role = "viewer", .zone = "berlin"}}}))
            .value();
    CHECK(added.one_time_password.size() >= access::password_characters_min);
    const auto opened = fixture.first.opened("jo", added.one_time_password);
    CHECK(opened.must_change);
    const auto jo = fixture.first.identify(opened.secret).value();
    REQUIRE(
        run_sync(
            users.set_own_password(
                jo,
                {.current = added.one_time_password, .updated = "battery staple", .origin = home}))
            .has_value());

    CHECK_FALSE(fixture.first.accepts(opened.secret));
    const auto again =
        fixture.first.identify(fixture.first.opened("jo", "battery staple").secret).value();
    CHECK_FALSE(again.must_change);
    CHECK(again.may.in("berlin", right::fleet_read, *again.zones));
    CHECK_FALSE(again.may.everywhere(right::fleet_read));
}

TEST_CASE("users are refused by the rule they break") {
    people_cluster_fixture fixture;
    auto& users = fixture.first.services.users;
    const auto admin = fixture.as("admin");
    const auto refused = [&](user_service::new_user new_user) {
        return code_of(run_sync(users.add(admin, std::move(new_user))));
    };

    CHECK(refused({.name = "a b"}) == errc::invalid);
    CHECK(refused({.name = "jo", .email = "a\nb"}) == errc::invalid);
    CHECK(refused({.name = "jo", .password = "short"}) == errc::invalid);
    CHECK(
        refused({.name = "robot", .kind = user_kind::service, .password = password})
        == errc::invalid);
    CHECK(refused({.name = "jo", .pam = true, .password = password}) == errc::invalid);
    CHECK(refused({.name = "jo", .grants = {everywhere("nothing")}}) == errc::not_found);
    CHECK(
        refused({.name = "jo", .grants = {{.role = "viewer", .zone = "mars"}}}) == errc::not_found);
    CHECK(
        refused({.name = "jo", .grants = {everywhere("viewer"), everywhere("viewer")}})
        == errc::invalid);
    CHECK(refused({.name = "admin"}) == errc::conflict);
    CHECK(fixture.count(keys::users) == 1);
}

TEST_CASE("nobody gives rights or zones that they do not have") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {{.role = "admin", .zone = "europe"}});
    fixture.put_user("op", {everywhere("operator")});
    auto& users = fixture.first.services.users;
    const auto jo = fixture.as("jo");
    const auto op = fixture.as("op");
    const auto give = [&](const identity& identity, access::grant grant) {
        return run_sync(users.add(
            identity,
            {.name = "new" + grant.role + grant.zone,
             .grants = {grant},
             .password = "battery staple"}));
    };

    CHECK(give(jo, {.role = "operator", .zone = "berlin"}).has_value());
    CHECK(give(jo, {.role = "admin", .zone = "europe"}).has_value());
    CHECK(code_of(give(jo, {.role = "viewer", .zone = "asia"})) == errc::denied);
    CHECK(code_of(give(jo, everywhere("viewer"))) == errc::denied);
    CHECK(code_of(give(op, {.role = "viewer", .zone = "berlin"})) == errc::denied);
    identity nobody;
    nobody.zones = jo.zones;
    CHECK(code_of(give(nobody, {.role = "viewer", .zone = "berlin"})) == errc::denied);
    CHECK(
        code_of(run_sync(users.change(jo, "jo", {.grants = std::vector{everywhere("admin")}})))
        == errc::denied);
}

TEST_CASE("nobody gets at somebody who has more than they") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {{.role = "admin", .zone = "europe"}});
    fixture.put_user("ann", {{.role = "viewer", .zone = "asia"}});
    auto& users = fixture.first.services.users;
    const auto jo = fixture.as("jo");

    for (const auto* name : {"admin", "ann"}) {
        CHECK(code_of(run_sync(users.set_password(jo, name, {}))) == errc::denied);
        CHECK(code_of(run_sync(users.disable(jo, name))) == errc::denied);
        CHECK(code_of(run_sync(users.remove(jo, name))) == errc::denied);
        CHECK(code_of(run_sync(users.end_sessions(jo, name))) == errc::denied);
        CHECK(code_of(run_sync(users.change(jo, name, {.email = "x"}))) == errc::denied);
        CHECK(
            code_of(run_sync(users.change(
                jo,
                name,
                {.grants = std::vector{access::grant{.role = "viewer", .zone = "paris"}}})))
            == errc::denied);
    }
}

TEST_CASE("what is not given stays as it is, and a change of something older is refused") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    auto& users = fixture.first.services.users;
    const auto admin = fixture.as("admin");

    const auto first = run_sync(users.change(admin, "jo", {.full_name = "Jo Doe"})).value();
    const auto second =
        run_sync(users.change(admin, "jo", {.email = "jo@acme.org", .expected = first.modified}))
            .value();

    CHECK(second.record.full_name == "Jo Doe");
    CHECK(second.record.email == "jo@acme.org");
    CHECK(second.record.grants == std::vector{everywhere("viewer")});
    CHECK(second.record == fixture.stored("jo").value());
    CHECK(
        code_of(run_sync(users.change(admin, "jo", {.email = "x", .expected = first.modified})))
        == errc::conflict);
    CHECK(code_of(run_sync(users.change(admin, "nobody", {}))) == errc::not_found);
}

TEST_CASE("the last enabled admin of the cluster is not removed, disabled or stripped") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {{.role = "admin", .zone = "europe"}});
    auto& users = fixture.first.services.users;
    const auto admin = fixture.as("admin");
    const auto stripped = std::vector{everywhere("operator")};

    CHECK(code_of(run_sync(users.remove(admin, "admin"))) == errc::conflict);
    CHECK(code_of(run_sync(users.disable(admin, "admin"))) == errc::conflict);
    CHECK(code_of(run_sync(users.change(admin, "admin", {.grants = stripped}))) == errc::conflict);
    fixture.put_user("second", {everywhere("admin")});
    REQUIRE(run_sync(users.disable(admin, "second")).has_value());
    CHECK(code_of(run_sync(users.remove(admin, "admin"))) == errc::conflict);
    REQUIRE(run_sync(users.enable(admin, "second")).has_value());
    CHECK(run_sync(users.remove(admin, "admin")).has_value());
}

TEST_CASE("two admins who take it from each other at the same time cannot both succeed") {
    for (int round = 0; round < 20; ++round) {
        people_cluster_fixture fixture;
        fixture.put_user("second", {everywhere("admin")});
        auto other = fixture.add_server();
        const auto admin = fixture.as("admin");
        const auto second = fixture.as("second");

        result<void> one_way;
        result<void> other_way;
        std::thread meanwhile(
            [&] { other_way = run_sync(other.services.users.remove(second, "admin")); });
        one_way = run_sync(fixture.first.services.users.disable(admin, "second"));
        meanwhile.join();

        CHECK(one_way.has_value() != other_way.has_value());
        const auto left = fixture.stored("admin");
        CHECK(
            (left && is_cluster_admin(*left))
            != is_cluster_admin(fixture.stored("second").value()));
    }
}

TEST_CASE("an admin who is disabled between the look and the change is no reason to go on") {
    people_cluster_fixture fixture;
    fixture.put_user("second", {everywhere("admin")});
    const auto admin = fixture.as("admin");
    fixture.counting.before_commit = [&fixture] {
        auto changed = fixture.stored("second").value();
        changed.disabled = true;
        fixture.put(keys::user("second"), encode(changed));
    };

    CHECK(code_of(run_sync(fixture.first.services.users.remove(admin, "admin"))) == errc::conflict);
    CHECK(fixture.stored("admin").has_value());
}

TEST_CASE("the own password needs the one so far, and guessing it is limited") {
    people_services::options options;
    options.checks.attempts = {.failures_max = 2};
    people_cluster_fixture fixture(std::move(options));
    auto& users = fixture.first.services.users;
    const auto admin = fixture.as("admin");
    const auto set = [&](std::string before, std::string next) {
        return run_sync(users.set_own_password(
            admin, {.current = std::move(before), .updated = std::move(next), .origin = home}));
    };

    CHECK(code_of(set(password, "short")) == errc::invalid);
    CHECK(code_of(set(password, password)) == errc::invalid);
    CHECK(code_of(run_sync(users.set_password(admin, "admin", {}))) == errc::invalid);
    CHECK(code_of(set("wrong", "battery staple")) == errc::denied);
    CHECK(code_of(set("wrong", "battery staple")) == errc::denied);
    CHECK(set(password, "battery staple").value().has_value());
    fixture.clock.pass(61s);
    CHECK_FALSE(set(password, "battery staple").value().has_value());
    CHECK(fixture.first.login("admin", "battery staple").has_value());
}

TEST_CASE("another password ends all sessions of a user on every server, and says so") {
    struct test_listener final : password_listener {
        std::vector<std::string> users;
        void password_changed(const std::string& user) override { users.push_back(user); }
    };
    test_listener listener;
    people_services::options options;
    options.listener = &listener;
    people_cluster_fixture fixture(std::move(options));
    fixture.put_user("jo", {everywhere("viewer")});
    auto other = fixture.add_server();
    const auto admin = fixture.as("admin");
    const auto session = fixture.first.opened("jo").secret;
    fixture.first.refresh();
    other.refresh();
    CHECK(other.accepts(session));

    const auto made_up =
        run_sync(fixture.first.services.users.set_password(admin, "jo", {})).value();

    fixture.first.refresh();
    other.refresh();
    CHECK_FALSE(fixture.first.accepts(session));
    CHECK_FALSE(other.accepts(session));
    CHECK(fixture.first.opened("jo", made_up).must_change);
    CHECK(listener.users == std::vector<std::string>{"jo"});
}

TEST_CASE("a user of the same name as one who is gone does not inherit their sessions") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    auto& users = fixture.first.services.users;
    const auto admin = fixture.as("admin");
    const auto session = fixture.first.opened("jo").secret;  // not in the directory yet

    REQUIRE(run_sync(users.remove(admin, "jo")).has_value());
    CHECK_FALSE(fixture.first.accepts(session));
    const user_service::new_user again{
        .name = "jo", .grants = {everywhere("viewer")}, .password = password};
    REQUIRE(run_sync(users.add(admin, again)).has_value());

    fixture.first.refresh();
    CHECK_FALSE(fixture.first.accepts(session));
}

TEST_CASE("a user may end all own sessions, and new ones are good") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    const auto first = fixture.first.opened("jo").secret;
    const auto jo = fixture.as("jo");

    REQUIRE(run_sync(fixture.first.services.users.end_sessions(jo, "jo")).has_value());

    fixture.first.refresh();
    CHECK_FALSE(fixture.first.accepts(first));
    CHECK(fixture.first.accepts(fixture.first.opened("jo").secret));
    CHECK(fixture.first.services.sessions.list("jo").empty());
}

TEST_CASE("the password of a user of PAM is PAM's") {
    people_cluster_fixture fixture;
    auto& users = fixture.first.services.users;
    const auto admin = fixture.as("admin");
    const auto added = run_sync(users.add(admin, {.name = "jo", .pam = true})).value();
    CHECK(added.one_time_password.empty());
    CHECK_FALSE(added.user.record.must_change);

    CHECK(code_of(run_sync(users.set_password(admin, "jo", {}))) == errc::invalid);
    REQUIRE(run_sync(users.change(admin, "jo", {.pam = false})).has_value());
    CHECK(run_sync(users.set_password(admin, "jo", {})).has_value());
}

TEST_CASE("two who give somebody roles at the same time both do, and none is lost") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {});
    const auto admin = fixture.as("admin");
    auto other = fixture.add_server();
    fixture.counting.before_commit = [&] {
        REQUIRE(run_sync(other.services.users.change(
                             admin, "jo", {.added_grants = {everywhere("auditor")}}))
                    .has_value());
    };

    const auto done = run_sync(
        fixture.first.services.users.change(admin, "jo", {.added_grants = {everywhere("viewer")}}));

    REQUIRE(done.has_value());
    CHECK(
        done->record.grants
        == std::vector<access::grant>{everywhere("auditor"), everywhere("viewer")});
    // The memory of this server has not heard of any of it.
    const auto less =
        run_sync(fixture.first.services.users.change(admin, "jo", {.removed_role = "auditor"}));
    REQUIRE(less.has_value());
    CHECK(less->record.grants == std::vector<access::grant>{everywhere("viewer")});
    CHECK(
        code_of(
            run_sync(fixture.first.services.users.change(admin, "jo", {.removed_role = "auditor"})))
        == errc::invalid);
}

}  // namespace
}  // namespace muster::people
