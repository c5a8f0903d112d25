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

bool knows_session(const server& at, const std::string& secret) {
    return at.known.read()->sessions->contains(digest_of(secret));
}

asio::awaitable<void> revoke_on_one_and_look_on_the_other(
    people_cluster_fixture& here, server& other) {
    auto& one = here.one.office;
    auto opened = co_await one.entrance.login({"jo", password, home});
    const auto session = std::get<authenticator::opened_session>(opened.value()).secret;
    const auto jo = (co_await one.entrance.identify(session, home)).value();
    const auto created = (co_await one.tokens.make(jo, {.user = "jo"})).value();
    co_await harness::until(here.clock, "the other knows them", [&] {
        return other.follows.complete() && knows_session(other, session)
               && other.known.read()->tokens->contains(digest_of(created.secret));
    });
    CHECK((co_await other.office.entrance.identify(session, home)).has_value());
    CHECK((co_await other.office.entrance.identify(created.secret, home)).has_value());

    CHECK((co_await one.tokens.revoke(jo, created.id)).has_value());
    co_await harness::until(here.clock, "the other hears of the token's end", [&] {
        return !other.known.read()->tokens->contains(digest_of(created.secret));
    });
    CHECK_FALSE((co_await other.office.entrance.identify(created.secret, home)).has_value());

    identity admin{.user = "admin", .how = identity::door::session};
    admin.may = access::permissions({everywhere("admin")}, access::built_in_roles());
    CHECK((co_await one.users.disable(admin, "jo")).has_value());
    co_await harness::until(here.clock, "the other hears of the user", [&] {
        return other.known.read()->users->at("jo").record.disabled;
    });
    CHECK_FALSE((co_await other.office.entrance.identify(session, home)).has_value());
}

TEST_CASE("what one server ends, another refuses as soon as it hears of it") {
    people_cluster_fixture here;
    here.put_user("jo", {everywhere("viewer")});
    auto other = here.another();

    harness::real_event_loop().run(
        beside(other.follows, revoke_on_one_and_look_on_the_other(here, other)));
}

TEST_CASE("a record that cannot be read lets nobody in and hides no other") {
    people_cluster_fixture here;
    here.put_user("jo", {everywhere("viewer")});
    const auto session = here.one.opened("jo").secret;

    here.put(keys::user("jo"), "not a record");
    here.one.catch_up();

    CHECK_FALSE(here.one.lets_in(session));
    CHECK(here.one.follows.skipped() == 1);
    CHECK(here.one.known.read()->users->contains("admin"));
    CHECK(here.one.lets_in(here.one.opened("admin").secret));
}

TEST_CASE("a roster that was read stays as it is while the next one is made") {
    people_cluster_fixture here;
    const auto before = here.one.known.read();

    here.put_user("jo", {everywhere("viewer")});

    CHECK_FALSE(before->users->contains("jo"));
    CHECK(here.one.known.read()->users->contains("jo"));
    CHECK(here.one.follows.complete());
}

}  // namespace
}  // namespace muster::people
