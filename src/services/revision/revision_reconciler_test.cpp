#include "services/revision/revision_reconciler.h"

#include "core/events/event_kind.h"
#include "services/revision/keys.h"
#include "tests/fixtures/revision/revision_cluster_fixture.h"

#include <algorithm>

namespace muster::revision {
namespace {

using namespace test;
namespace kind = events::kind;

// A change without a session, as the API makes it.
void change_directly(server& at, const std::string& text, const std::string& user) {
    auto turn = run_sync(at.seat.take_turn(user, may_change_directly));
    REQUIRE(turn.has_value());
    REQUIRE(at.change_things(text).has_value());
    const direct_change note{
        .by = user, .operation = text, .subject = text.substr(1), .at = at.all.clock.wall()};
    std::vector<kv::operation> with;
    with.emplace_back(kv::put{
        .key = keys::under(keys::notes, note_name(at.name, note.at.time_since_epoch().count())),
        .value = encode(note)});
    REQUIRE(run_sync(at.seat.release(*turn, std::move(with))).value());
}

bool told(const revision_cluster_fixture& of, std::string_view text) {
    return std::ranges::find(of.events, text, &event_record::kind) != of.events.end();
}

TEST_CASE("changes without a session that follow each other become one revision") {
    revision_cluster_fixture fixture;
    server server(fixture, "one");
    server.look();
    change_directly(server, "+a", "anna");
    change_directly(server, "+b", "ben");
    server.look();
    CHECK(server.view().head->number == 1);  // more may follow
    fixture.clock.pass(1s);
    server.look();

    REQUIRE(server.view().head->number == 2);
    CHECK(server.view().head->kind == "direct");
    CHECK(server.view().head->made_by == "several");
    CHECK(server.view().head->changes == 2);
    CHECK(server.view().notes.empty());
    CHECK_FALSE(server.view().leader.has_value());
    CHECK(told(fixture, kind::revision_published));
    server.look();
    CHECK(server.view().head->number == 2);
}

TEST_CASE("what a server that died has changed is published by another one") {
    revision_cluster_fixture fixture;
    server one(fixture, "one");
    one.look();
    change_directly(one, "+a", "anna");
    server two(fixture, "two");
    two.look();
    CHECK(two.view().head->number == 1);
    fixture.clock.pass(11s);
    two.look();
    CHECK(two.view().head->number == 2);
    CHECK(two.view().head->made_by == "anna");
}

TEST_CASE("what was changed behind everybody's back is published as found, not hidden") {
    revision_cluster_fixture fixture;
    server server(fixture, "one");
    server.look();
    fixture.things["tampered"] = "{}";
    server.held = fixture.things;
    server.stamp = std::make_shared<int>(0);
    server.look();
    fixture.clock.pass(12s);
    server.look();
    CHECK(told(fixture, kind::node_drifted));
    CHECK(server.readings > 0);
    CHECK(server.view().head->number == 1);
    fixture.clock.pass(10s);
    server.look();
    CHECK(server.view().head->number == 2);
    CHECK(server.view().head->kind == "found");
    server.look();
    CHECK(told(fixture, kind::node_healed));
}

TEST_CASE("a server that has drifted is shown, warned of, and healed by reading anew") {
    revision_cluster_fixture fixture;
    fixture.things = {{"a", "{}"}};
    server one(fixture, "one");
    server two(fixture, "two", false);  // a node only
    one.look();
    two.look();
    const auto& well = one.view();
    REQUIRE(well.server_digests.size() == 2);
    const sync_context now{.published = well.head->made, .now = fixture.clock.wall(), .grace = 10s};
    CHECK(
        find_sync_state(well.head->sections, well.server_digests.at("two"), now)
        == sync_state::current);

    two.held["a"] = "spoilt";
    two.stamp = std::make_shared<int>(0);
    two.heals = false;
    two.look();
    fixture.clock.pass(11s);
    two.look();
    const auto& observed = one.view();
    const sync_context later{
        .published = observed.head->made, .now = fixture.clock.wall(), .grace = 10s};
    CHECK(
        find_sync_state(observed.head->sections, observed.server_digests.at("two"), later)
        == sync_state::drifted);
    CHECK(told(fixture, kind::node_drifted));
    CHECK(two.readings == 1);
    CHECK_FALSE(told(fixture, kind::node_healed));

    two.heals = true;
    fixture.clock.pass(11s);
    two.look();
    two.look();
    CHECK(told(fixture, kind::node_healed));
    const auto& healed = one.view();
    CHECK(
        find_sync_state(healed.head->sections, healed.server_digests.at("two"), later)
        == sync_state::current);
    CHECK(one.view().head->number == 1);
}

TEST_CASE("editors who are not heard of any more go, and the last takes the leader along") {
    revision_cluster_fixture fixture;
    server server(fixture, "one");
    server.look();
    const auto edit = server.begin("anna");
    server.begin("ben");
    server.draft(edit, "+a");
    server.look();
    fixture.clock.pass(20min);
    REQUIRE(run_sync(server.desk.keep_alive(server.lead(), edit)).has_value());
    fixture.clock.pass(15min);
    server.look();
    REQUIRE(server.view().current_draft->editors.size() == 1);
    CHECK(server.view().current_draft->editors[0].user == "anna");
    CHECK(server.view().edit_leader() != nullptr);
    fixture.clock.pass(31min);
    server.look();
    CHECK(server.view().current_draft->editors.empty());
    CHECK(server.view().edit_leader() == nullptr);
    CHECK(server.view().current_draft->count == 1);  // the draft is kept
    server.look();
    CHECK(told(fixture, kind::edit_ended));
    CHECK(told(fixture, kind::leader_demoted));
    // Nobody edits: what is done by itself is done, and the next editor finds the draft.
    change_directly(server, "+b", "cleo");
    const auto again = server.begin("anna");
    CHECK(server.view().current_draft->count == 1);
    CHECK(run_sync(server.desk.discard(server.lead(), again)).value() == 1);
    CHECK_FALSE(server.view().current_draft.has_value());
    CHECK(server.view().changes.empty());
}

TEST_CASE("nobody is elected by somebody who has not heard yet that the leader went") {
    revision_cluster_fixture fixture;
    server server(fixture, "one");
    server.look();
    const auto edit = server.begin("anna");
    server.draft(edit, "+a");
    CHECK(server.view().edit_leader()->term == 1);
    const auto claim = server.lead();
    REQUIRE(run_sync(server.desk.begin_apply(claim, {.by = "anna", .edit = edit, .since = {}}))
                .has_value());
    CHECK(server.view().current_draft->state == draft_state::applying);
    REQUIRE(run_sync(server.work.run(claim)).has_value());
    REQUIRE(run_sync(server.care.run_once()).has_value());  // with the view of before
    CHECK(server.view().edit_leader() == nullptr);
    CHECK(server.lead().term == 2);
}

TEST_CASE("when the leader is lost in the middle of an edit another one is elected") {
    revision_cluster_fixture fixture;
    server one(fixture, "one");
    server two(fixture, "two");
    one.look();
    const auto edit = one.begin("anna");
    one.draft(edit, "+a");
    one.bury();
    two.look();
    fixture.clock.pass(2s);
    two.look();
    REQUIRE(two.view().edit_leader() != nullptr);
    CHECK(two.view().edit_leader()->server == "two");
    two.draft(edit, "+b");
    REQUIRE(run_sync(two.desk.begin_apply(two.lead(), {.by = "anna", .edit = edit, .since = {}}))
                .has_value());
    two.look();
    CHECK(fixture.things.size() == 2);
    CHECK_FALSE(two.view().current_draft.has_value());
}

}  // namespace
}  // namespace muster::revision
