#include "roles/revision/applier.h"
#include "tests/revision/servers.h"

namespace muster::revision {
namespace {

using namespace test;

TEST_CASE("a draft is applied as a whole, published, and the leader goes with it") {
    cluster_of_editors here;
    here.things = {{"old", "{}"}};
    server one(here, "one");
    one.look();  // the first revision
    REQUIRE(one.view().head.has_value());
    CHECK(one.view().head->kind == "first");
    const auto edit = one.begin("anna");
    one.draft(edit, "+new");
    one.draft(edit, "-old");
    const auto dropped = one.draft(edit, "+never");
    REQUIRE(answer_of(one.desk.drop(one.lead(), edit, dropped.number)).has_value());
    CHECK(here.things.contains("old"));  // nothing is done before

    REQUIRE(answer_of(one.desk.begin_apply(
                          one.lead(), {.by = "anna", .edit = edit, .note = "x", .since = {}}))
                .has_value());
    one.look();

    CHECK(here.things.contains("new"));
    CHECK_FALSE(here.things.contains("old"));
    const auto& after = one.view();
    CHECK_FALSE(after.now.has_value());
    CHECK_FALSE(after.leader.has_value());
    CHECK(after.changes.empty());
    REQUIRE(after.head.has_value());
    CHECK(after.head->number == 2);
    CHECK(after.head->made_by == "anna");
    CHECK(after.head->changes == 2);
    const auto kept = answer_of(one.kept.find(2));
    REQUIRE(kept.has_value());
    CHECK(kept->entries.size() == 2);
    const auto content = answer_of(one.kept.content(kept->what.sections.at("things")));
    REQUIRE(content.has_value());
    CHECK(content->items == here.things);
    CHECK(answer_of(one.kept.list(100, 10)).value().size() == 2);
}

TEST_CASE("a change that cannot be carried out halts the draft: the rest waits, nothing is lost") {
    cluster_of_editors here;
    server one(here, "one");
    one.look();
    const auto edit = one.begin("anna");
    one.draft(edit, "+a");
    const auto wrong = one.draft(edit, "-nothing");
    one.draft(edit, "+b");
    const application wanted{.by = "anna", .edit = edit, .since = {}};
    REQUIRE(answer_of(one.desk.begin_apply(one.lead(), wanted)).has_value());
    one.look();

    CHECK(here.things.contains("a"));
    CHECK_FALSE(here.things.contains("b"));
    REQUIRE(one.view().now.has_value());
    CHECK(one.view().now->state == draft_state::halted);
    CHECK(one.view().now->error.contains("change 2: nothing is not there"));
    CHECK(one.view().now->count == 2);
    CHECK(one.view().head->kind == "partial");

    REQUIRE(answer_of(one.desk.drop(one.lead(), edit, wrong.number)).has_value());
    REQUIRE(answer_of(one.desk.begin_apply(one.lead(), wanted)).has_value());
    one.look();
    CHECK(here.things.contains("b"));
    CHECK(one.view().head->kind == "applied");
    CHECK(one.view().head->number == 3);
    CHECK_FALSE(one.view().now.has_value());
}

// A server begins to apply and dies at one of its steps; the next one finds what is left of it.
void apply_with_a_death(int steps, bool after) {
    cluster_of_editors here;
    here.things = {{"old", "{}"}, {"grown", "{}"}};
    auto wanted = here.things;
    wanted.erase("old");
    wanted["new"] = "{}";
    wanted["grown"] += "x";
    server one(here, "one");
    one.look();
    const auto edit = one.begin("anna");
    for (const auto* const each : {"+new", ".grown", "*given", "-old"}) one.draft(edit, each);
    REQUIRE(answer_of(one.desk.begin_apply(one.lead(), {.by = "anna", .edit = edit, .since = {}}))
                .has_value());
    const auto claim = one.lead();
    one.store.left = steps;
    one.store.dies_after = after;
    const auto done = answer_of(one.work.run(claim));
    CHECK(done.has_value() == !one.store.dead());
    one.bury();

    server two(here, "two");
    for (int look = 0; look < 4; ++look) {
        two.look();
        here.time.pass(2s);  // it waits a moment before it takes the lead
    }
    CHECK(here.things == wanted);
    CHECK(here.assigned.contains("given"));
    CHECK_FALSE(two.view().now.has_value());
    CHECK_FALSE(two.view().leader.has_value());
    REQUIRE(two.view().head.has_value());
    CHECK(two.view().head->number == 2);
    CHECK(two.view().head->kind == "applied");
    CHECK(two.view().head->made_by == "anna");
    const auto kept = answer_of(two.kept.find(2));
    REQUIRE(kept.has_value());
    CHECK(kept->what == *two.view().head);
}

TEST_CASE("a leader that dies at any step of an apply is followed by one that finishes it") {
    constexpr int steps = 10;  // four changes, each noted and done, the end, and one to spare
    for (int at = 0; at <= steps; ++at)
        for (const bool after : {false, true}) {
            CAPTURE(at);
            CAPTURE(after);
            apply_with_a_death(at, after);
        }
}

}  // namespace
}  // namespace muster::revision
