#include "services/people/authenticator.h"

#include "services/people/audit_tables.h"
#include "tests/fixtures/people/people_cluster_fixture.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

using namespace test;

std::vector<std::string> audited(people_cluster_fixture& fixture, const std::string& column) {
    const auto schema = table::catalog::of(schema::ledger_schema()).value();
    const std::string name(audit_table);
    const auto place = schema.find(name).value()->find(column).value();
    const auto page = run_sync(fixture.ledger->read({.table = name})).value();
    std::vector<std::string> cells;
    for (const auto& row : page.rows) cells.push_back(std::get<std::string>(row[place]));
    return cells;
}

TEST_CASE("every attempt to log in is in the audit trail before it is answered") {
    people_cluster_fixture fixture;

    CHECK(fixture.first.login("admin", "wrong").error().code() == errc::denied);
    CHECK(fixture.first.login("mallory").error().code() == errc::denied);
    CHECK(fixture.first.login("admin").has_value());

    CHECK(audited(fixture, "who") == std::vector<std::string>{"admin", "mallory", "admin"});
    CHECK(audited(fixture, "outcome") == std::vector<std::string>{"refused", "refused", "done"});
    CHECK(audited(fixture, "origin") == std::vector<std::string>{home, home, home});
}

TEST_CASE("a login that cannot be recorded is not answered as done") {
    people_cluster_fixture fixture;
    const auto other = ledger_sqlite::open({.file = fixture.directory.path() / "other.db"}).value();
    audit_trail unrecorded(*other, fixture.bus_publisher, fixture.clock);
    auto deps = fixture.own_dependencies();
    server lame(
        {.metastore = deps.metastore,
         .people = deps.people,
         .topology = deps.topology,
         .clock = deps.clock,
         .audit = unrecorded},
        fixture.log,
        {});

    CHECK_FALSE(lame.login("admin").has_value());
    CHECK(fixture.count(keys::sessions) == 0);
}

TEST_CASE("a refusal does not tell a wrong password from an unknown, disabled or service user") {
    people_cluster_fixture fixture;
    fixture.put(
        keys::user("off"),
        encode(user_record{.name = "off", .password_hash = password_hash, .disabled = true}));
    fixture.put(
        keys::user("robot"),
        encode(user_record{
            .name = "robot", .password_hash = password_hash, .kind = user_kind::service}));

    const auto wrong = fixture.first.login("admin", "wrong").error();
    for (const auto* user : {"mallory", "off", "robot"})
        CHECK(fixture.first.login(user).error() == wrong);
}

TEST_CASE("a session is its user's, and no other text is anybody's") {
    people_cluster_fixture fixture;
    const auto opened = fixture.first.opened("admin");

    const auto who = fixture.first.identify(opened.secret).value();
    CHECK(who.user == "admin");
    CHECK(who.credential == identity::credential_kind::session);
    CHECK(who.may.everywhere(right::people_change));
    CHECK(who.csrf == opened.csrf);
    CHECK_FALSE(who.csrf.empty());
    auto changed = opened.secret;
    changed.front() = changed.front() == '0' ? '1' : '0';
    CHECK(fixture.first.identify(changed).error().code() == errc::denied);
    CHECK(fixture.first.identify("").error().code() == errc::denied);
    CHECK(fixture.first.identify(digest_of(opened.secret)).error().code() == errc::denied);
}

TEST_CASE("who asks is told from memory, without the metastore") {
    people_cluster_fixture fixture;
    const auto opened = fixture.first.opened("admin");
    fixture.first.refresh();

    const int before = fixture.counting.calls;
    for (int each = 0; each < 10; ++each) CHECK(fixture.first.accepts(opened.secret));

    CHECK(fixture.counting.calls == before);
}

TEST_CASE("a login on one server is known to another that has not heard of it yet") {
    people_cluster_fixture fixture;
    auto other = fixture.add_server();

    const auto opened = fixture.first.opened("admin");

    CHECK(other.accepts(opened.secret));
}

TEST_CASE("whoever comes with many secrets that are nobody's is not looked up for a while") {
    people_cluster_fixture fixture({.sessions = {.unknown_secrets = {.failures_max = 3}}});
    const auto opened = fixture.first.opened("admin");
    for (int each = 0; each < 3; ++each)
        CHECK(
            fixture.first.identify(create_secret(secret_kind::session)).error().code()
            == errc::denied);

    CHECK(
        fixture.first.identify(create_secret(secret_kind::token)).error().code()
        == errc::unavailable);
    CHECK(fixture.first.identify(opened.secret, "198.51.100.1").has_value());
    fixture.first.refresh();
    CHECK(fixture.first.accepts(opened.secret));  // from memory, also from that address
}

TEST_CASE("a session that is not used ends after the idle limit") {
    people_cluster_fixture fixture({.sessions = {.idle_limit = 60min}});
    const auto opened = fixture.first.opened("admin");
    fixture.first.refresh();

    fixture.clock.pass(59min);
    CHECK(fixture.first.accepts(opened.secret));
    fixture.clock.pass(59min);
    CHECK(fixture.first.accepts(opened.secret));
    fixture.clock.pass(60min);
    CHECK_FALSE(fixture.first.accepts(opened.secret));
}

TEST_CASE("use of a session on one server keeps it alive on the others") {
    people_cluster_fixture fixture;
    auto other = fixture.add_server();
    const auto opened = fixture.first.opened("admin");
    fixture.clock.pass(50min);
    CHECK(fixture.first.accepts(opened.secret));

    fixture.clock.pass(50min);
    other.refresh();
    CHECK(other.accepts(opened.secret));
}

TEST_CASE("a session ends after its lifetime, however much it is used") {
    people_cluster_fixture fixture({.sessions = {.session_lifetime = 12h, .idle_limit = 60min}});
    const auto opened = fixture.first.opened("admin");
    fixture.first.refresh();

    for (int half_hours = 0; half_hours < 23; ++half_hours) {
        fixture.clock.pass(30min);
        CHECK(fixture.first.accepts(opened.secret));
    }
    fixture.clock.pass(30min);
    CHECK_FALSE(fixture.first.accepts(opened.secret));
}

TEST_CASE("that a session is used is written down ten times an idle limit, not at each request") {
    people_cluster_fixture fixture({.sessions = {.idle_limit = 60min}});
    const auto opened = fixture.first.opened("admin");
    fixture.first.refresh();
    const auto before = fixture.at();

    for (int each = 0; each < 50; ++each) CHECK(fixture.first.accepts(opened.secret));
    CHECK(fixture.at() == before);
    fixture.clock.pass(6min);
    for (int each = 0; each < 50; ++each) CHECK(fixture.first.accepts(opened.secret));
    CHECK(fixture.at() == before.next());
}

TEST_CASE("logging out ends a session everywhere, at once where it was done") {
    people_cluster_fixture fixture;
    auto other = fixture.add_server();
    const auto opened = fixture.first.opened("admin");
    fixture.first.refresh();
    other.refresh();

    const auto who = fixture.first.identify(opened.secret).value();
    CHECK(fixture.first.services.authentication.is_still_valid(who));
    REQUIRE(run_sync(fixture.first.services.authentication.logout(who)).has_value());

    CHECK_FALSE(fixture.first.accepts(opened.secret));
    CHECK_FALSE(fixture.first.services.authentication.is_still_valid(who));
    other.refresh();
    CHECK_FALSE(other.accepts(opened.secret));
    CHECK(run_sync(fixture.first.services.authentication.logout(who)).has_value());
}

TEST_CASE("whoever was let in is not any more once a right is gone or time has passed") {
    people_cluster_fixture fixture;
    const auto opened = fixture.first.opened("admin");
    fixture.first.refresh();
    const auto who = fixture.first.identify(opened.secret).value();
    auto changed = fixture.first.people.read()->users->at("admin").record;
    changed.grants = {{.role = "viewer", .zone = ""}};
    fixture.put(keys::user("admin"), encode(changed));
    CHECK(fixture.first.services.authentication.is_still_valid(who));
    fixture.first.refresh();
    CHECK_FALSE(fixture.first.services.authentication.is_still_valid(who));

    const auto now = fixture.first.identify(opened.secret).value();
    CHECK(fixture.first.services.authentication.is_still_valid(now));
    fixture.clock.pass(61min);  // asking so does not count as use
    CHECK_FALSE(fixture.first.services.authentication.is_still_valid(now));
}

TEST_CASE("whoever has to change the password may do nothing else") {
    people_cluster_fixture fixture;
    fixture.put(
        keys::user("new"),
        encode(user_record{
            .name = "new",
            .password_hash = password_hash,
            .grants = {everywhere("admin")},
            .must_change = true}));

    const auto opened = fixture.first.opened("new");
    CHECK(opened.must_change);
    const auto who = fixture.first.identify(opened.secret).value();
    CHECK(who.must_change);
    for (const auto all_right : access::all_rights()) CHECK_FALSE(who.may.anywhere(all_right));
}

TEST_CASE("of a user with too many sessions the one that was not used for longest ends") {
    people_cluster_fixture fixture;
    for (std::size_t each = 0; each < limits::sessions_per_user_max; ++each) {
        const session_record session{
            .user = "admin",
            .seen = fixture.clock.wall() - std::chrono::minutes(each == 7 ? 30 : 5),
            .expires = fixture.clock.wall() + 1h,
            .origin = std::to_string(each)};
        const auto lease = run_sync(fixture.metastore->grant(1h)).value();
        kv::transaction change;
        change.then.emplace_back(kv::put{
            .key = keys::session(digest_of(std::to_string(each))),
            .value = encode(session),
            .lease = lease});
        REQUIRE(run_sync(fixture.metastore->commit(std::move(change))).value().committed);
    }
    fixture.first.refresh();

    const auto opened = fixture.first.opened("admin");

    fixture.first.refresh();
    const auto left = fixture.first.services.sessions.list("admin");
    CHECK(left.size() == limits::sessions_per_user_max);
    for (const auto& each : left) CHECK(each.record.origin != "7");
    CHECK(fixture.first.accepts(opened.secret));
}

TEST_CASE("a user of PAM is asked for there, and stays out where it is not set up") {
    std::string requested;
    people_services::options options;
    options.external_check = [&requested](std::string user, std::string input) -> async<void> {
        requested = user;
        if (input == "of the machine") co_return result<void>();
        co_return fail(errc::denied, "PAM says no");
    };
    people_cluster_fixture fixture(std::move(options));
    const user_record jo{.name = "jo", .grants = {everywhere("viewer")}, .pam = true};
    fixture.put(keys::user("jo"), encode(jo));

    CHECK(fixture.first.login("jo", "of the machine").has_value());
    CHECK(requested == "jo");
    CHECK(fixture.first.login("jo", "wrong").error().code() == errc::denied);
    requested.clear();
    CHECK(fixture.first.login("admin").has_value());
    CHECK(requested.empty());
    server without(fixture.own_dependencies(), fixture.log, {});
    CHECK(without.login("jo", "of the machine").error().code() == errc::denied);
}

}  // namespace
}  // namespace muster::people
