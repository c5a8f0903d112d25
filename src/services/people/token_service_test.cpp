#include "services/people/token_service.h"

#include "tests/fixtures/people/people_cluster_fixture.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

using namespace test;

errc code_of(const auto& outcome) {
    REQUIRE_FALSE(outcome.has_value());
    return outcome.error().code();
}

result<token_service::created_token> make(
    server& at, const identity& actor, token_service::token_request token_request) {
    auto result = run_sync(at.services.tokens.create(actor, std::move(token_request)));
    at.refresh();
    return result;
}

TEST_CASE("a token lets its user in with all that the user may, and its secret is stored nowhere") {
    people_cluster_fixture fixture;
    const auto admin = fixture.as("admin");

    const auto result = make(fixture.first, admin, {.user = "admin", .purpose = "backup"}).value();

    const auto who = fixture.first.identify(result.secret).value();
    CHECK(who.user == "admin");
    CHECK(who.credential == identity::credential_kind::token);
    CHECK(who.id == result.id);
    CHECK(who.may == admin.may);
    CHECK(who.csrf.empty());
    for (const auto& entry : run_sync(fixture.metastore->range({})).value().entries) {
        CHECK_FALSE(entry.key.contains(result.secret.substr(4)));
        CHECK_FALSE(entry.value.contains(result.secret.substr(4)));
    }
}

TEST_CASE("a token allows no more than its grants and rights, and never more than its user may") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {{.role = "operator", .zone = "europe"}});
    const auto jo = fixture.as("jo");

    const auto result =
        make(
            fixture.first,
            jo,
            {.user = "jo",
             .grants = {{.role = "operator", .zone = "berlin"}, {.role = "admin", .zone = "asia"}},
             .rights = access::rights{right::jobs_run, right::people_change}})
            .value();

    const auto who = fixture.first.identify(result.secret).value();
    CHECK(who.may.in("berlin", right::jobs_run, *who.zones));
    CHECK_FALSE(who.may.in("paris", right::jobs_run, *who.zones));
    CHECK_FALSE(who.may.in("asia", right::jobs_run, *who.zones));
    CHECK_FALSE(who.may.in("berlin", right::jobs_read, *who.zones));
    CHECK_FALSE(who.may.anywhere(right::people_change));

    fixture.put_user("jo", {{.role = "viewer", .zone = "europe"}});
    CHECK_FALSE(fixture.first.identify(result.secret).value().may.anywhere(right::jobs_run));
}

TEST_CASE("a password that has to be changed does not stop tokens that an admin made") {
    people_cluster_fixture fixture;
    const auto admin = fixture.as("admin");
    const user_service::new_user jo{
        .name = "jo", .grants = {everywhere("viewer")}, .password = "battery staple"};
    REQUIRE(run_sync(fixture.first.services.users.add(admin, jo)).has_value());

    const auto result = make(fixture.first, admin, {.user = "jo"}).value();

    CHECK(fixture.first.identify(result.secret).value().may.everywhere(right::fleet_read));
    const auto by_password =
        fixture.first.identify(fixture.first.opened("jo", "battery staple").secret);
    CHECK_FALSE(by_password.value().may.anywhere(right::fleet_read));
    CHECK(code_of(make(fixture.first, *by_password, {.user = "jo"})) == errc::denied);
}

TEST_CASE("a token without any right allows nothing") {
    people_cluster_fixture fixture;
    const auto result =
        make(fixture.first, fixture.as("admin"), {.user = "admin", .rights = access::rights{}})
            .value();

    CHECK(fixture.first.identify(result.secret).value().may == access::permissions());
}

TEST_CASE("a token ends when it was said to") {
    people_cluster_fixture fixture;
    const auto result =
        make(fixture.first, fixture.as("admin"), {.user = "admin", .lifetime = 3600s}).value();

    fixture.clock.pass(59min);
    CHECK(fixture.first.accepts(result.secret));
    fixture.clock.pass(61s);
    CHECK_FALSE(fixture.first.accepts(result.secret));
    CHECK_FALSE(fixture.first.services.tokens.list("admin").front().valid);
}

TEST_CASE("tokens are refused by the rule they break") {
    people_cluster_fixture fixture;
    fixture.put_user("off", {everywhere("viewer")});
    const auto admin = fixture.as("admin");
    REQUIRE(run_sync(fixture.first.services.users.disable(admin, "off")).has_value());
    const auto refused = [&](token_service::token_request token_request) {
        return code_of(make(fixture.first, admin, std::move(token_request)));
    };

    CHECK(refused({.user = "nobody"}) == errc::not_found);
    CHECK(refused({.user = "off"}) == errc::conflict);
    CHECK(refused({.user = "admin", .purpose = "a\nb"}) == errc::invalid);
    CHECK(refused({.user = "admin", .lifetime = 0s}) == errc::invalid);
    CHECK(
        refused({.user = "admin", .lifetime = token_service::lifetime_max + 1s}) == errc::invalid);
    CHECK(refused({.user = "admin", .grants = {everywhere("nothing")}}) == errc::not_found);
    CHECK(fixture.count(keys::tokens) == 0);
}

TEST_CASE("nobody makes a token for somebody who has more, nor a token for its own user") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {{.role = "admin", .zone = "europe"}});
    fixture.put_user("robot", {{.role = "viewer", .zone = "berlin"}});
    const auto jo = fixture.as("jo");

    CHECK(code_of(make(fixture.first, jo, {.user = "admin"})) == errc::denied);
    CHECK(make(fixture.first, jo, {.user = "robot"}).has_value());
    const auto own = make(fixture.first, jo, {.user = "jo"}).value();
    const auto by_token = fixture.first.identify(own.secret).value();
    CHECK(code_of(make(fixture.first, by_token, {.user = "jo"})) == errc::denied);
    CHECK(make(fixture.first, by_token, {.user = "robot"}).has_value());
}

TEST_CASE("a token that was revoked, or whose user was disabled, is refused by every server") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    auto other = fixture.add_server();
    const auto admin = fixture.as("admin");
    const auto jo = fixture.as("jo");
    const auto first = make(fixture.first, jo, {.user = "jo"}).value();
    const auto second = make(fixture.first, jo, {.user = "jo"}).value();
    other.refresh();
    CHECK(other.accepts(first.secret));
    CHECK(other.accepts(second.secret));

    REQUIRE(run_sync(fixture.first.services.tokens.revoke(jo, first.id)).has_value());
    other.refresh();
    CHECK_FALSE(other.accepts(first.secret));
    CHECK(other.accepts(second.secret));
    REQUIRE(run_sync(fixture.first.services.users.disable(admin, "jo")).has_value());
    other.refresh();
    CHECK_FALSE(other.accepts(second.secret));
    REQUIRE(run_sync(fixture.first.services.users.enable(admin, "jo")).has_value());
    other.refresh();
    CHECK_FALSE(other.accepts(second.secret));
    CHECK(fixture.count(keys::tokens) == 0);
}

TEST_CASE("a token is revoked by its user, by who may change the user, and by itself only") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    fixture.put_user("ann", {everywhere("viewer")});
    auto& tokens = fixture.first.services.tokens;
    const auto jo = fixture.as("jo");
    const auto ann = fixture.as("ann");
    const auto first = make(fixture.first, jo, {.user = "jo"}).value();
    const auto second = make(fixture.first, jo, {.user = "jo"}).value();
    const auto by_first = fixture.first.identify(first.secret).value();

    CHECK(code_of(run_sync(tokens.revoke(ann, first.id))) == errc::denied);
    CHECK(code_of(run_sync(tokens.revoke(by_first, second.id))) == errc::denied);
    CHECK(run_sync(tokens.revoke(by_first, first.id)).has_value());
    CHECK(run_sync(tokens.revoke(fixture.as("admin"), second.id)).has_value());
    CHECK(code_of(run_sync(tokens.revoke(jo, second.id))) == errc::not_found);
    CHECK(code_of(run_sync(tokens.revoke(jo, ""))) == errc::not_found);
}

TEST_CASE("when a token was last used is known by the day, and written once a day") {
    people_cluster_fixture fixture;
    const auto result = make(fixture.first, fixture.as("admin"), {.user = "admin"}).value();
    const auto before = fixture.at();

    for (int each = 0; each < 20; ++each) CHECK(fixture.first.accepts(result.secret));

    CHECK(fixture.at() == before.next());
    fixture.first.refresh();
    const auto listed = fixture.first.services.tokens.list("admin");
    REQUIRE(listed.size() == 1);
    CHECK(
        listed.front().record.last_used
        == std::chrono::floor<std::chrono::days>(fixture.clock.wall()));
}

TEST_CASE("a user has a bounded number of tokens, and those that are over make room") {
    people_cluster_fixture fixture;
    const auto admin = fixture.as("admin");
    for (std::size_t each = 0; each < limits::tokens_per_user_max; ++each) {
        const token_record token{
            .user = "admin",
            .expires = fixture.clock.wall() + std::chrono::hours(each == 0 ? 1 : 24)};
        fixture.put(keys::token(digest_of(std::to_string(each))), encode(token));
    }
    fixture.first.refresh();

    CHECK(code_of(make(fixture.first, admin, {.user = "admin"})) == errc::conflict);
    fixture.clock.pass(2h);
    CHECK(make(fixture.first, admin, {.user = "admin"}).has_value());
    CHECK(fixture.count(keys::tokens) == limits::tokens_per_user_max);
}

}  // namespace
}  // namespace muster::people
