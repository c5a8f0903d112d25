#include "api/rest/draft_interceptor.h"

#include "api/operations/permissions_codec.h"
#include "base/prng.h"
#include "tests/fixtures/api/edit_session_fixture.h"

#include <doctest/doctest.h>

namespace muster::api {
namespace {

using namespace test;

TEST_CASE("while nobody edits a change is done at once, and noted for the next revision") {
    edit_session_fixture fixture;
    REQUIRE(fixture.put_group({}).has_value());
    CHECK(fixture.done == 1);
    REQUIRE(run_sync(fixture.follower.refresh()).has_value());
    const auto view = fixture.known.read();
    REQUIRE(view->notes.size() == 1);
    CHECK(view->notes.begin()->second.by == "anna");
    CHECK(view->notes.begin()->second.operation == "groups.replace");
    CHECK_FALSE(view->leader.has_value());  // its turn is over
}

TEST_CASE("a call that lost the lead is tried again without waking the reconciler") {
    edit_session_fixture fixture;
    int woken = 0;
    int attempts = 0;
    fixture.reconciler.woken = [&] {
        ++woken;
    };
    const auto third_time = [&](revision::edit_lock::claim /*as*/,
                                call /*request*/) -> async<reply> {
        if (++attempts < 3) co_return fail(errc::unavailable, "this server no longer leads");
        CHECK(woken == 0);
        co_return reply{};
    };

    CHECK(run_sync(
        fixture.gate.run_on_leader(fixture.call_of("groups.replace", {}, {}), third_time)));

    CHECK(attempts == 3);
    CHECK(woken == 1);
}

TEST_CASE("while somebody edits others' changes are refused, and what is systems' goes on") {
    edit_session_fixture fixture;
    fixture.begin("anna");
    const auto refused = fixture.put_group({.user = "ben"});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("edited by anna since"));
    CHECK(fixture.done == 0);
    CHECK(fixture.ask("systems.tag", {}, {.user = "ben"}).has_value());
    CHECK(fixture.ask("windows.assign", {}, {.user = "ben"}).has_value());
    CHECK(fixture.done == 2);
}

TEST_CASE("with a session a change is written down and not done, by its owner only") {
    edit_session_fixture fixture;
    const auto edit = fixture.begin("anna");
    const auto drafted = fixture.put_group({.edit = edit});
    REQUIRE(drafted.has_value());
    CHECK(drafted->status == 202);
    CHECK(fixture.done == 0);
    CHECK(fixture.only_change().operation == "groups.replace");
    CHECK(fixture.only_change().name == "web");

    CHECK(fixture.put_group({.edit = edit, .user = "ben"}).error().code() == errc::denied);
    CHECK(fixture.put_group({.edit = "e-over"}).error().code() == errc::not_found);
    CHECK(fixture.put_group({.edit = edit, .may = as("viewer")}).error().code() == errc::denied);
    CHECK(fixture.ask("systems.tag", {}, {.edit = edit}).error().code() == errc::invalid);
    CHECK(
        fixture.ask("groups.replace", {{"name", std::int64_t{7}}}, {.edit = edit}).error().code()
        == errc::invalid);
    const auto secret = fixture.ask(
        "accept-rules.create", {{"name", "r"}, {"activation_key", "k"}}, {.edit = edit});
    REQUIRE_FALSE(secret.has_value());
    CHECK(secret.error().detail().contains("is a secret"));
    CHECK(fixture.ask("accept-rules.create", {{"name", "r"}}, {.edit = edit}).has_value());
}

TEST_CASE("a drafted change is carried out with what its author may now, and might then") {
    edit_session_fixture fixture;
    const auto edit = fixture.begin("anna");
    // By a token that is good for one zone only.
    REQUIRE(
        fixture.ask("windows.assign", {}, {.edit = edit, .may = as("admin", "de")}).has_value());
    const auto change = fixture.only_change();
    REQUIRE(fixture.carry_out(change).has_value());
    CHECK(fixture.done == 1);
    REQUIRE(fixture.zones_seen.has_value());
    CHECK(*fixture.zones_seen == std::set<std::string>{"de"});

    fixture.set_users({{"anna", "viewer"}});
    CHECK(fixture.carry_out(change).error().code() == errc::denied);
    fixture.set_users({{"anna", "admin"}}, true);
    CHECK(fixture.carry_out(change).error().code() == errc::denied);
    fixture.set_users({{"ben", "admin"}});
    CHECK(fixture.carry_out(change).error().code() == errc::denied);
    CHECK(fixture.done == 1);
}

TEST_CASE("rights that are carried along allow what they did, in the zones there are") {
    const access::zone_parents tree{{"eu", ""}, {"de", "eu"}, {"us", ""}};
    const std::vector<std::string> zones{"", "eu", "de", "us"};
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        std::vector<access::grant> grants;
        for (std::uint64_t count = random.below(4); count > 0; --count)
            grants.push_back(
                {.role = random.chance(500) ? "operator" : "viewer",
                 .zone = zones[random.below(zones.size())]});
        const access::permissions may(grants, access::built_in_roles());
        const auto back = decode_rights(encode_rights(may, tree));
        REQUIRE(back.has_value());
        for (const auto all_right : access::all_rights()) {
            CHECK(back->everywhere(all_right) == may.everywhere(all_right));
            for (const auto* const zone : {"eu", "de", "us"})
                CHECK(back->in(zone, all_right, tree) == may.in(zone, all_right, tree));
        }
    }
    CHECK_FALSE(decode_rights("[]").has_value());
    CHECK_FALSE(decode_rights(R"({"jobs.run":"eu"})").has_value());
}

}  // namespace
}  // namespace muster::api
