#include "services/people/credential_check.h"

#include "tests/fixtures/people/people_cluster_fixture.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

using namespace test;

// Two failures in a row lock for a minute; the limit a minute is out of the way.
people_services::options quick_lock() {
    people_services::options options;
    options.checks.attempts = {.failures_max = 1000};
    options.checks.lock = {.failures_max = 2, .first = 60s, .longest = 3600s};
    return options;
}

TEST_CASE("whoever failed too often has to wait, by name and by address") {
    people_services::options options;
    options.checks.attempts = {.failures_max = 2};
    people_cluster_fixture fixture(std::move(options));
    for (int each = 0; each < 2; ++each)
        CHECK(fixture.first.login("admin", "wrong").error().code() == errc::denied);

    CHECK(fixture.first.is_throttled("admin", "198.51.100.1"));
    CHECK(fixture.first.is_throttled("operator", home));
    CHECK_FALSE(fixture.first.is_throttled("operator", "198.51.100.1"));
}

TEST_CASE("a user with too many failures in a row is locked, also with the right password") {
    people_cluster_fixture fixture(quick_lock());
    for (int each = 0; each < 2; ++each)
        CHECK(fixture.first.login("admin", "wrong").error().code() == errc::denied);

    const auto answer = fixture.first.login("admin").value();
    REQUIRE(std::holds_alternative<login_throttled>(answer));
    CHECK(std::get<login_throttled>(answer).wait <= 60s);
    CHECK(std::get<login_throttled>(answer).wait > 50s);
    fixture.clock.pass(61s);
    CHECK(std::holds_alternative<authenticator::opened_session>(
        fixture.first.login("admin").value()));
}

TEST_CASE("a lock holds on every server") {
    people_cluster_fixture fixture(quick_lock());
    auto other = fixture.add_server();
    CHECK(fixture.first.login("admin", "wrong").error().code() == errc::denied);
    CHECK(other.login("admin", "wrong").error().code() == errc::denied);

    CHECK(fixture.first.is_throttled("admin"));
    CHECK(other.is_throttled("admin"));
}

TEST_CASE("a lock doubles with each further failure, and a success ends the row") {
    people_cluster_fixture fixture(quick_lock());
    for (int each = 0; each < 2; ++each)
        CHECK(fixture.first.login("admin", "wrong").error().code() == errc::denied);
    fixture.clock.pass(61s);
    CHECK(fixture.first.login("admin", "wrong").error().code() == errc::denied);
    fixture.clock.pass(61s);
    CHECK(fixture.first.is_throttled("admin"));
    fixture.clock.pass(60s);

    CHECK(fixture.first.login("admin").has_value());

    CHECK(fixture.count(keys::failures) == 0);
    CHECK(fixture.first.login("admin", "wrong").error().code() == errc::denied);
    CHECK_FALSE(fixture.first.is_throttled("admin"));
}

TEST_CASE("nothing is written down of logins that do not fail") {
    people_cluster_fixture fixture;
    CHECK(fixture.first.login("admin").has_value());

    CHECK(fixture.count(keys::failures) == 0);
    CHECK(fixture.count(keys::sessions) == 1);
}

TEST_CASE("a name that is nobody's is locked as a user is, and nothing is stored of it") {
    people_cluster_fixture fixture(quick_lock());
    for (int each = 0; each < 2; ++each)
        CHECK(fixture.first.login("mallory", "wrong").error().code() == errc::denied);

    CHECK(fixture.first.is_throttled("mallory"));
    CHECK(fixture.count(keys::failures) == 0);
}

TEST_CASE("an admin ends a lock, and only who may change the user is one") {
    people_cluster_fixture fixture(quick_lock());
    fixture.put_user("jo", {{.role = "admin", .zone = "berlin"}});
    fixture.put_user("boss", {everywhere("admin")});
    const auto admin = fixture.as("admin");
    const auto jo = fixture.as("jo");
    for (int each = 0; each < 2; ++each)
        CHECK(fixture.first.login("boss", "wrong").error().code() == errc::denied);
    CHECK(run_sync(fixture.first.services.checks.failures()).value().at("boss").has_value());

    auto& users = fixture.first.services.users;
    CHECK(run_sync(users.unlock(jo, "boss")).error().code() == errc::denied);
    CHECK(fixture.first.is_throttled("boss"));
    REQUIRE(run_sync(users.unlock(admin, "boss")).has_value());

    CHECK(
        std::holds_alternative<authenticator::opened_session>(fixture.first.login("boss").value()));
    CHECK(run_sync(users.unlock(admin, "boss")).error().code() == errc::not_found);
    CHECK(run_sync(users.unlock(admin, "nobody")).error().code() == errc::not_found);
}

TEST_CASE("a session is not opened for somebody who was disabled while the password was checked") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    fixture.counting.before_commit = [&fixture] {
        auto changed = fixture.stored("jo").value();
        changed.disabled = true;
        fixture.put(keys::user("jo"), encode(changed));
    };

    CHECK(fixture.first.login("jo").error().code() == errc::unavailable);
    CHECK(fixture.count(keys::sessions) == 0);
}

}  // namespace
}  // namespace muster::people
