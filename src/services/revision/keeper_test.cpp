#include "services/revision/keeper.h"

#include "core/events/event_kind.h"
#include "services/revision/keys.h"
#include "tests/fixtures/revision/servers.h"

#include <algorithm>

namespace muster::revision {
namespace {

using namespace test;
namespace kind = events::kind;

// A change without a session, as the API makes it.
void change_directly(server& at, const std::string& what, const std::string& user) {
    auto turn = answer_of(at.seat.take_turn(user, may_change_directly));
    REQUIRE(turn.has_value());
    REQUIRE(at.change_things(what).has_value());
    const change_note note{
        .by = user, .operation = what, .subject = what.substr(1), .at = at.all.time.wall()};
    std::vector<kv::operation> with;
    with.emplace_back(kv::put{
        .key = keys::under(keys::notes, note_name(at.name, note.at.time_since_epoch().count())),
        .value = encode(note)});
    REQUIRE(answer_of(at.seat.let_go(*turn, std::move(with))).value());
}

bool told(const cluster_of_editors& of, std::string_view what) {
    return std::ranges::find(of.events, what, &event_record::kind) != of.events.end();
}

TEST_CASE("changes without a session that follow each other become one revision") {
    cluster_of_editors here;
    server one(here, "one");
    one.look();
    change_directly(one, "+a", "anna");
    change_directly(one, "+b", "ben");
    one.look();
    CHECK(one.view().head->number == 1);  // more may follow
    here.time.pass(1s);
    one.look();

    REQUIRE(one.view().head->number == 2);
    CHECK(one.view().head->kind == "direct");
    CHECK(one.view().head->made_by == "several");
    CHECK(one.view().head->changes == 2);
    CHECK(one.view().notes.empty());
    CHECK_FALSE(one.view().leader.has_value());
    CHECK(told(here, kind::revision_published));
    one.look();
    CHECK(one.view().head->number == 2);
}

TEST_CASE("what a server that died has changed is published by another one") {
    cluster_of_editors here;
    server one(here, "one");
    one.look();
    change_directly(one, "+a", "anna");
    server two(here, "two");
    two.look();
    CHECK(two.view().head->number == 1);
    here.time.pass(11s);
    two.look();
    CHECK(two.view().head->number == 2);
    CHECK(two.view().head->made_by == "anna");
}

TEST_CASE("what was changed behind everybody's back is published as found, not hidden") {
    cluster_of_editors here;
    server one(here, "one");
    one.look();
    here.things["tampered"] = "{}";
    one.held = here.things;
    one.stamp = std::make_shared<int>(0);
    one.look();
    here.time.pass(12s);
    one.look();
    CHECK(told(here, kind::node_drifted));
    CHECK(one.readings > 0);
    CHECK(one.view().head->number == 1);
    here.time.pass(10s);
    one.look();
    CHECK(one.view().head->number == 2);
    CHECK(one.view().head->kind == "found");
    one.look();
    CHECK(told(here, kind::node_healed));
}

TEST_CASE("a server that has drifted is shown, warned of, and healed by reading anew") {
    cluster_of_editors here;
    here.things = {{"a", "{}"}};
    server one(here, "one");
    server two(here, "two", false);  // a node only
    one.look();
    two.look();
    const auto& well = one.view();
    REQUIRE(well.holdings.size() == 2);
    const judged now{.published = well.head->made, .now = here.time.wall(), .grace = 10s};
    CHECK(judge(well.head->sections, well.holdings.at("two"), now) == standing::current);

    two.held["a"] = "spoilt";
    two.stamp = std::make_shared<int>(0);
    two.heals = false;
    two.look();
    here.time.pass(11s);
    two.look();
    const auto& seen = one.view();
    const judged later{.published = seen.head->made, .now = here.time.wall(), .grace = 10s};
    CHECK(judge(seen.head->sections, seen.holdings.at("two"), later) == standing::drifted);
    CHECK(told(here, kind::node_drifted));
    CHECK(two.readings == 1);
    CHECK_FALSE(told(here, kind::node_healed));

    two.heals = true;
    here.time.pass(11s);
    two.look();
    two.look();
    CHECK(told(here, kind::node_healed));
    const auto& healed = one.view();
    CHECK(judge(healed.head->sections, healed.holdings.at("two"), later) == standing::current);
    CHECK(one.view().head->number == 1);
}

TEST_CASE("editors who are not heard of any more go, and the last takes the leader along") {
    cluster_of_editors here;
    server one(here, "one");
    one.look();
    const auto edit = one.begin("anna");
    one.begin("ben");
    one.draft(edit, "+a");
    one.look();
    here.time.pass(20min);
    REQUIRE(answer_of(one.desk.stay(one.lead(), edit)).has_value());
    here.time.pass(15min);
    one.look();
    REQUIRE(one.view().now->editors.size() == 1);
    CHECK(one.view().now->editors[0].user == "anna");
    CHECK(one.view().leads() != nullptr);
    here.time.pass(31min);
    one.look();
    CHECK(one.view().now->editors.empty());
    CHECK(one.view().leads() == nullptr);
    CHECK(one.view().now->count == 1);  // the draft is kept
    one.look();
    CHECK(told(here, kind::edit_ended));
    CHECK(told(here, kind::leader_demoted));
    // Nobody edits: what is done by itself is done, and the next editor finds the draft.
    change_directly(one, "+b", "cleo");
    const auto again = one.begin("anna");
    CHECK(one.view().now->count == 1);
    CHECK(answer_of(one.desk.discard(one.lead(), again)).value() == 1);
    CHECK_FALSE(one.view().now.has_value());
    CHECK(one.view().changes.empty());
}

TEST_CASE("nobody is elected by somebody who has not heard yet that the leader went") {
    cluster_of_editors here;
    server one(here, "one");
    one.look();
    const auto edit = one.begin("anna");
    one.draft(edit, "+a");
    CHECK(one.view().leads()->term == 1);
    const auto claim = one.lead();
    REQUIRE(answer_of(one.desk.begin_apply(claim, {.by = "anna", .edit = edit, .since = {}}))
                .has_value());
    CHECK(one.view().now->state == draft_state::applying);
    REQUIRE(answer_of(one.work.run(claim)).has_value());
    REQUIRE(answer_of(one.care.look()).has_value());  // with the view of before
    CHECK(one.view().leads() == nullptr);
    CHECK(one.lead().term == 2);
}

TEST_CASE("when the leader is lost in the middle of an edit another one is elected") {
    cluster_of_editors here;
    server one(here, "one");
    server two(here, "two");
    one.look();
    const auto edit = one.begin("anna");
    one.draft(edit, "+a");
    one.bury();
    two.look();
    here.time.pass(2s);
    two.look();
    REQUIRE(two.view().leads() != nullptr);
    CHECK(two.view().leads()->server == "two");
    two.draft(edit, "+b");
    REQUIRE(answer_of(two.desk.begin_apply(two.lead(), {.by = "anna", .edit = edit, .since = {}}))
                .has_value());
    two.look();
    CHECK(here.things.size() == 2);
    CHECK_FALSE(two.view().now.has_value());
}

}  // namespace
}  // namespace muster::revision
