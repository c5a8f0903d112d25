#include "api/rest/draft_interceptor.h"

#include "api/operations/permissions_codec.h"
#include "base/prng.h"
#include "tests/fixtures/api/edit_session_fixture.h"

#include <doctest/doctest.h>

namespace muster::api {
namespace {

using namespace test;

TEST_CASE("while nobody edits a change is done at once, and noted for the next revision") {
    edit_session_fixture here;
    REQUIRE(here.put_group({}).has_value());
    CHECK(here.done == 1);
    REQUIRE(run_sync(here.follower.catch_up()).has_value());
    const auto view = here.known.read();
    REQUIRE(view->notes.size() == 1);
    CHECK(view->notes.begin()->second.by == "anna");
    CHECK(view->notes.begin()->second.operation == "groups.put");
    CHECK_FALSE(view->leader.has_value());  // its turn is over
}

TEST_CASE("a call that lost the lead is tried again without waking the reconciler") {
    edit_session_fixture here;
    int woken = 0;
    int attempts = 0;
    here.reconciler.woken = [&] {
        ++woken;
    };
    const auto third_time = [&](revision::edit_lock::claim /*as*/,
                                call /*request*/) -> async<reply> {
        if (++attempts < 3) co_return fail(errc::unavailable, "this server no longer leads");
        CHECK(woken == 0);
        co_return reply{};
    };

    CHECK(run_sync(here.gate.at_leader(here.call_of("groups.put", {}, {}), third_time)));

    CHECK(attempts == 3);
    CHECK(woken == 1);
}

TEST_CASE("while somebody edits others' changes are refused, and what is systems' goes on") {
    edit_session_fixture here;
    here.begin("anna");
    const auto refused = here.put_group({.user = "ben"});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("edited by anna since"));
    CHECK(here.done == 0);
    CHECK(here.ask("systems.tag", {}, {.user = "ben"}).has_value());
    CHECK(here.ask("windows.assign", {}, {.user = "ben"}).has_value());
    CHECK(here.done == 2);
}

TEST_CASE("with a session a change is written down and not done, by its owner only") {
    edit_session_fixture here;
    const auto edit = here.begin("anna");
    const auto drafted = here.put_group({.edit = edit});
    REQUIRE(drafted.has_value());
    CHECK(drafted->status == 202);
    CHECK(here.done == 0);
    CHECK(here.only_change().operation == "groups.put");
    CHECK(here.only_change().name == "web");

    CHECK(here.put_group({.edit = edit, .user = "ben"}).error().code() == errc::denied);
    CHECK(here.put_group({.edit = "e-over"}).error().code() == errc::not_found);
    CHECK(here.put_group({.edit = edit, .may = as("viewer")}).error().code() == errc::denied);
    CHECK(here.ask("systems.tag", {}, {.edit = edit}).error().code() == errc::invalid);
    CHECK(
        here.ask("groups.put", {{"name", std::int64_t{7}}}, {.edit = edit}).error().code()
        == errc::invalid);
    const auto secret =
        here.ask("accept-rules.add", {{"name", "r"}, {"activation_key", "k"}}, {.edit = edit});
    REQUIRE_FALSE(secret.has_value());
    CHECK(secret.error().detail().contains("is a secret"));
    CHECK(here.ask("accept-rules.add", {{"name", "r"}}, {.edit = edit}).has_value());
}

TEST_CASE("a drafted change is carried out with what its author may now, and might then") {
    edit_session_fixture here;
    const auto edit = here.begin("anna");
    // By a token that is good for one zone only.
    REQUIRE(here.ask("windows.assign", {}, {.edit = edit, .may = as("admin", "de")}).has_value());
    const auto change = here.only_change();
    REQUIRE(here.carry_out(change).has_value());
    CHECK(here.done == 1);
    REQUIRE(here.zones_seen.has_value());
    CHECK(*here.zones_seen == std::set<std::string>{"de"});

    here.set_users({{"anna", "viewer"}});
    CHECK(here.carry_out(change).error().code() == errc::denied);
    here.set_users({{"anna", "admin"}}, true);
    CHECK(here.carry_out(change).error().code() == errc::denied);
    here.set_users({{"ben", "admin"}});
    CHECK(here.carry_out(change).error().code() == errc::denied);
    CHECK(here.done == 1);
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
