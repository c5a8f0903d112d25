#include "services/people/people_follower.h"

#include "tests/fixtures/people/people_cluster_fixture.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/until.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <doctest/doctest.h>

namespace muster::people {
namespace {

using namespace test;
namespace asio = boost::asio;

// Runs a server's directory beside a scenario.
asio::awaitable<void> beside(people_follower& follows, asio::awaitable<void> scenario) {
    asio::cancellation_signal enough;
    bool ended = false;
    asio::co_spawn(
        co_await asio::this_coro::executor,
        follows.run(),
        asio::bind_cancellation_slot(
            enough.slot(), [&ended](const std::exception_ptr&) { ended = true; }));
    co_await std::move(scenario);
    enough.emit(asio::cancellation_type::terminal);
    runtime::system_clock clock;
    co_await harness::until(clock, "the directory ends", [&ended] { return ended; });
}

bool knows_session(const server& server, const std::string& secret) {
    return server.people.read()->sessions->contains(digest_of(secret));
}

asio::awaitable<void> revoke_on_one_and_look_on_the_other(
    people_cluster_fixture& fixture, server& other) {
    auto& one = fixture.first.services;
    auto opened = co_await one.authentication.login({"jo", password, home});
    const auto session = std::get<authenticator::opened_session>(opened.value()).secret;
    const auto jo = (co_await one.authentication.identify(session, home)).value();
    const auto created = (co_await one.tokens.create(jo, {.user = "jo"})).value();
    co_await harness::until(fixture.clock, "the other knows them", [&] {
        return other.follower.complete() && knows_session(other, session)
               && other.people.read()->tokens->contains(digest_of(created.secret));
    });
    CHECK((co_await other.services.authentication.identify(session, home)).has_value());
    CHECK((co_await other.services.authentication.identify(created.secret, home)).has_value());

    CHECK((co_await one.tokens.revoke(jo, created.id)).has_value());
    co_await harness::until(fixture.clock, "the other hears of the token's end", [&] {
        return !other.people.read()->tokens->contains(digest_of(created.secret));
    });
    CHECK_FALSE(
        (co_await other.services.authentication.identify(created.secret, home)).has_value());

    identity admin{.user = "admin", .credential = identity::credential_kind::session};
    admin.may = access::permissions({everywhere("admin")}, access::built_in_roles());
    CHECK((co_await one.users.disable(admin, "jo")).has_value());
    co_await harness::until(fixture.clock, "the other hears of the user", [&] {
        return other.people.read()->users->at("jo").record.disabled;
    });
    CHECK_FALSE((co_await other.services.authentication.identify(session, home)).has_value());
}

TEST_CASE("what one server ends, another refuses as soon as it hears of it") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    auto other = fixture.add_server();

    harness::real_event_loop().run(
        beside(other.follower, revoke_on_one_and_look_on_the_other(fixture, other)));
}

TEST_CASE("a record that cannot be read lets nobody in and hides no other") {
    people_cluster_fixture fixture;
    fixture.put_user("jo", {everywhere("viewer")});
    const auto session = fixture.first.opened("jo").secret;

    fixture.put(keys::user("jo"), "not a record");
    fixture.first.refresh();

    CHECK_FALSE(fixture.first.accepts(session));
    CHECK(fixture.first.follower.skipped() == 1);
    CHECK(fixture.first.people.read()->users->contains("admin"));
    CHECK(fixture.first.accepts(fixture.first.opened("admin").secret));
}

TEST_CASE("a roster that was read stays as it is while the next one is made") {
    people_cluster_fixture fixture;
    const auto before = fixture.first.people.read();

    fixture.put_user("jo", {everywhere("viewer")});

    CHECK_FALSE(before->users->contains("jo"));
    CHECK(fixture.first.people.read()->users->contains("jo"));
    CHECK(fixture.first.follower.complete());
}

}  // namespace
}  // namespace muster::people
