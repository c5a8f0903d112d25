#include "services/revision/applier.h"
#include "tests/fixtures/revision/revision_cluster_fixture.h"

namespace muster::revision {
namespace {

using namespace test;

TEST_CASE("a draft is applied as a whole, published, and the leader goes with it") {
    revision_cluster_fixture fixture;
    fixture.things = {{"old", "{}"}};
    server server(fixture, "one");
    server.look();  // the first revision
    REQUIRE(server.view().head.has_value());
    CHECK(server.view().head->kind == "first");
    const auto edit = server.begin("anna");
    server.draft(edit, "+new");
    server.draft(edit, "-old");
    const auto dropped = server.draft(edit, "+never");
    REQUIRE(run_sync(server.desk.drop(server.lead(), edit, dropped.number)).has_value());
    CHECK(fixture.things.contains("old"));  // nothing is done before

    REQUIRE(run_sync(server.desk.begin_apply(
                         server.lead(), {.by = "anna", .edit = edit, .note = "x", .since = {}}))
                .has_value());
    server.look();

    CHECK(fixture.things.contains("new"));
    CHECK_FALSE(fixture.things.contains("old"));
    const auto& after = server.view();
    CHECK_FALSE(after.current_draft.has_value());
    CHECK_FALSE(after.leader.has_value());
    CHECK(after.changes.empty());
    REQUIRE(after.head.has_value());
    CHECK(after.head->number == 2);
    CHECK(after.head->made_by == "anna");
    CHECK(after.head->changes == 2);
    const auto stored = run_sync(server.kept.find(2));
    REQUIRE(stored.has_value());
    CHECK(stored->entries.size() == 2);
    const auto content = run_sync(server.kept.content(stored->record.sections.at("things")));
    REQUIRE(content.has_value());
    CHECK(content->items == fixture.things);
    CHECK(run_sync(server.kept.list(100, 10)).value().size() == 2);
}

TEST_CASE("a change that cannot be carried out halts the draft: the rest waits, nothing is lost") {
    revision_cluster_fixture fixture;
    server server(fixture, "one");
    server.look();
    const auto edit = server.begin("anna");
    server.draft(edit, "+a");
    const auto wrong = server.draft(edit, "-nothing");
    server.draft(edit, "+b");
    const application application{.by = "anna", .edit = edit, .since = {}};
    REQUIRE(run_sync(server.desk.begin_apply(server.lead(), application)).has_value());
    server.look();

    CHECK(fixture.things.contains("a"));
    CHECK_FALSE(fixture.things.contains("b"));
    REQUIRE(server.view().current_draft.has_value());
    CHECK(server.view().current_draft->state == draft_state::halted);
    CHECK(server.view().current_draft->error.contains("change 2: nothing is not there"));
    CHECK(server.view().current_draft->count == 2);
    CHECK(server.view().head->kind == "partial");

    REQUIRE(run_sync(server.desk.drop(server.lead(), edit, wrong.number)).has_value());
    REQUIRE(run_sync(server.desk.begin_apply(server.lead(), application)).has_value());
    server.look();
    CHECK(fixture.things.contains("b"));
    CHECK(server.view().head->kind == "applied");
    CHECK(server.view().head->number == 3);
    CHECK_FALSE(server.view().current_draft.has_value());
}

// The real store; before its next change is done, something else happens.
class interrupted_store final : public metastore {
public:
    explicit interrupted_store(metastore& real) : real_(real) {}

    async<kv::lookup> get(std::string key) override { return real_.get(std::move(key)); }
    async<kv::page> range(kv::range_request request) override { return real_.range(request); }
    async<kv::commit_result> commit(kv::transaction change) override {
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
    revision_cluster_fixture fixture;
    server server(fixture, "one");
    server.look();
    const auto edit = server.begin("anna");
    const auto unwanted = server.draft(edit, "+never");
    server.draft(edit, "+wanted");
    interrupted_store slow(*fixture.store);
    draft_service late(slow, fixture.clock, server.desk.rules());
    const auto claim = server.lead();
    slow.before_next = [&] {
        return server.desk.drop(claim, edit, unwanted.number);
    };

    const auto second = run_sync(late.drop(claim, edit, unwanted.number));

    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code() == errc::not_found);
    CHECK(run_sync(server.desk.read_draft()).value()->count == 1);
    const application application{.by = "anna", .edit = edit, .since = {}};
    REQUIRE(run_sync(server.desk.begin_apply(claim, application)).has_value());
    server.look();
    CHECK(fixture.things.contains("wanted"));
    CHECK_FALSE(fixture.things.contains("never"));
}

// A server begins to apply and dies at one of its steps; the next one finds what is left of it.
void apply_with_a_death(int steps, bool after) {
    revision_cluster_fixture fixture;
    fixture.things = {{"old", "{}"}, {"grown", "{}"}};
    auto desired = fixture.things;
    desired.erase("old");
    desired["new"] = "{}";
    desired["grown"] += "x";
    server one(fixture, "one");
    one.look();
    const auto edit = one.begin("anna");
    for (const auto* const each : {"+new", ".grown", "*given", "-old"}) one.draft(edit, each);
    REQUIRE(run_sync(one.desk.begin_apply(one.lead(), {.by = "anna", .edit = edit, .since = {}}))
                .has_value());
    const auto claim = one.lead();
    one.store.left = steps;
    one.store.dies_after = after;
    const auto done = run_sync(one.work.run(claim));
    CHECK(done.has_value() == !one.store.dead());
    one.bury();

    server two(fixture, "two");
    for (int look = 0; look < 4; ++look) {
        two.look();
        fixture.clock.pass(2s);  // it waits a moment before it takes the lead
    }
    CHECK(fixture.things == desired);
    CHECK(fixture.assigned.contains("given"));
    CHECK_FALSE(two.view().current_draft.has_value());
    CHECK_FALSE(two.view().leader.has_value());
    REQUIRE(two.view().head.has_value());
    CHECK(two.view().head->number == 2);
    CHECK(two.view().head->kind == "applied");
    CHECK(two.view().head->made_by == "anna");
    const auto stored = run_sync(two.kept.find(2));
    REQUIRE(stored.has_value());
    CHECK(stored->record == *two.view().head);
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
