#include "services/revision/edit_lock.h"

#include "ports/deadline.h"
#include "tests/fixtures/revision/revision_cluster_fixture.h"

namespace muster::revision {
namespace {

using namespace test;

async<void> run_of(edit_lock* lock) {
    co_await lock->run();
    co_return result<void>();
}

TEST_CASE("whoever is asked first leads, the others know who, and terms only grow") {
    revision_cluster_fixture fixture;
    server one(fixture, "one");
    server two(fixture, "two");
    const auto first = one.lead();
    CHECK(one.lead().value == first.value);  // again: the same

    const auto elsewhere = run_sync(two.seat.lead());
    REQUIRE(elsewhere.has_value());
    REQUIRE(elsewhere->other.has_value());
    CHECK(elsewhere->other->server == "one");
    CHECK(elsewhere->other->address == "one:8443");

    REQUIRE(run_sync(one.seat.release(first)).value());
    const auto second = two.lead();
    CHECK(second.term > first.term);
    CHECK(second.revision.value() > first.revision.value());
}

TEST_CASE("a leader whose lease has ended writes nothing any more") {
    revision_cluster_fixture fixture;
    server one(fixture, "one");
    server two(fixture, "two");
    const auto old = one.lead();
    const auto edit = one.begin("anna");
    one.bury();
    const auto next = two.lead();
    CHECK(next.term == old.term + 1);

    const auto late = run_sync(one.desk.add(
        old, {.operation = "+a", .arguments = "{}", .by = "anna", .edit = edit, .at = {}}));
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code() == errc::unavailable);
    CHECK_FALSE(run_sync(one.printing.publish(old, {.kind = "applied"})).has_value());
    CHECK(two.view().changes.empty());
    CHECK(two.view().current_draft->editors.size() == 1);  // the session has survived its leader
}

TEST_CASE("a change by itself has its turn alone, and none while somebody edits") {
    revision_cluster_fixture fixture;
    server one(fixture, "one");
    server two(fixture, "two");
    const auto turn = run_sync(one.seat.take_turn("anna", may_change_directly));
    REQUIRE(turn.has_value());
    const auto other = run_sync(two.seat.take_turn("ben", may_change_directly));
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().code() == errc::unavailable);
    CHECK_FALSE(run_sync(two.seat.lead()).has_value());  // waits in vain
    REQUIRE(run_sync(one.seat.release(*turn)).value());

    one.begin("anna");
    const auto refused = run_sync(two.seat.take_turn("ben", may_change_directly));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("anna"));
}

TEST_CASE("who hangs up in the middle of a turn blocks nobody for long") {
    revision_cluster_fixture fixture;
    server one(fixture, "one");
    server two(fixture, "two");
    const auto turn = run_sync(one.seat.take_turn("anna", may_change_directly));
    REQUIRE(turn.has_value());
    one.seat.release_later(*turn);
    ignore_error(run_sync(within(fixture.clock, 300ms, run_of(&one.seat))), "it ran long enough");
    CHECK(run_sync(two.seat.take_turn("ben", may_change_directly)).has_value());
}

TEST_CASE("a server that starts again does not wait for the lease of what it was before") {
    revision_cluster_fixture fixture;
    server before(fixture, "one");
    before.lead();
    const auto edit = before.begin("anna");
    server after(fixture, "one");
    const auto claim = after.lead();
    CHECK(claim.term == 2);
    CHECK(run_sync(after.desk.keep_alive(claim, edit)).has_value());
    REQUIRE(run_sync(after.desk.discard(claim, edit)).has_value());

    REQUIRE(run_sync(after.seat.take_turn("anna", may_change_directly)).has_value());
    server again(fixture, "one");
    CHECK(run_sync(again.seat.take_turn("ben", may_change_directly)).has_value());
    server other(fixture, "two");
    CHECK_FALSE(run_sync(other.seat.take_turn("ben", may_change_directly)).has_value());
}

}  // namespace
}  // namespace muster::revision
