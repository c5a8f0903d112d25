#include "services/revision/applier.h"
#include "tests/fixtures/revision/servers.h"

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

// The real store; before its next change is done, something else happens.
class interrupted_store final : public metastore {
public:
    explicit interrupted_store(metastore& real) : real_(real) {}

    async<kv::lookup> get(std::string key) override { return real_.get(std::move(key)); }
    async<kv::page> range(kv::range_request request) override { return real_.range(request); }
    async<kv::verdict> commit(kv::transaction change) override {
        if (auto first = std::exchange(before_next, nullptr)) {
            CO_CHECK_OK(co_await first());
        }
        co_return co_await real_.commit(std::move(change));
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override { return real_.grant(ttl); }
    async<void> keep_alive(kv::lease_id lease) override { return real_.keep_alive(lease); }
    async<void> revoke(kv::lease_id lease) override { return real_.revoke(lease); }
    async<void> compact(kv::revision oldest) override { return real_.compact(oldest); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return real_.watch(std::move(prefix), from);
    }

    std::function<async<void>()> before_next = nullptr;

private:
    metastore& real_;
};

TEST_CASE("a change that two drop at the same time is taken off the draft's count once") {
    cluster_of_editors here;
    server one(here, "one");
    one.look();
    const auto edit = one.begin("anna");
    const auto unwanted = one.draft(edit, "+never");
    one.draft(edit, "+wanted");
    interrupted_store slow(*here.store);
    draft_desk late(slow, here.time, one.desk.rules());
    const auto claim = one.lead();
    slow.before_next = [&] {
        return one.desk.drop(claim, edit, unwanted.number);
    };

    const auto second = answer_of(late.drop(claim, edit, unwanted.number));

    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code() == errc::not_found);
    CHECK(answer_of(one.desk.look()).value()->count == 1);
    const application wanted{.by = "anna", .edit = edit, .since = {}};
    REQUIRE(answer_of(one.desk.begin_apply(claim, wanted)).has_value());
    one.look();
    CHECK(here.things.contains("wanted"));
    CHECK_FALSE(here.things.contains("never"));
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
