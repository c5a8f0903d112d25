// What editors and readers of revisions are told, against the real records.

#include "api/rest/edit_sessions_api.h"

#include "api/rest/revert_api.h"
#include "api/rest/revisions_api.h"
#include "services/revision/keys.h"
#include "tests/fixtures/api/edit_session_fixture.h"

#include <string>

namespace muster::api {
namespace {

using namespace test;
namespace json = boost::json;

struct editors_house : edit_session_fixture {
    revision::sources held;
    edit_sessions_api edits{
        {.changes = gate, .drafts = drafts, .edit_state = known, .held = held, .clock = clock}};
    revision::revision_store kept{*records};
    revisions_api revisions{
        {.revisions = kept,
         .edit_state = known,
         .clock = clock,
         .grace = std::chrono::seconds(60)}};
    revert_api reverts{{.revisions = kept, .edit_state = known, .clock = clock}};

    editors_house() {
        REQUIRE(edits.declare(all));
        REQUIRE(revisions.declare(all));
        REQUIRE(reverts.declare(all));
    }

    // Stores a revision with these groups and makes it the newest.
    void publish_groups(
        std::int64_t number, std::map<std::string, std::string, std::less<>> items) {
        const revision::sections content{{"groups", {.name = "groups", .items = std::move(items)}}};
        const revision::revision_record record{
            .number = number,
            .digest = "d",
            .kind = "direct",
            .made = clock.wall(),
            .sections = revision::digests_of(content)};
        REQUIRE(run_sync(kept.write({.record = record, .entries = {}}, content, 1)));
        auto snapshot = std::make_shared<revision::edit_state_snapshot>();
        snapshot->head = record;
        known.publish(std::move(snapshot));
    }

    // As the keeper does when all changes are in force: the draft ends and the head moves at once.
    void publish(std::int64_t number) {
        const revision::revision_record head{
            .number = number,
            .digest = "d",
            .kind = "applied",
            .made = clock.wall(),
            .sections = {}};
        kv::transaction end;
        end.then.emplace_back(kv::erase{std::string(revision::keys::draft)});
        end.then.emplace_back(
            kv::put{.key = std::string(revision::keys::head), .value = encode(head)});
        REQUIRE(run_sync(store->commit(std::move(end))).value().committed);
    }
};

TEST_CASE("who applies is told of the revision that came of it, however far behind memory is") {
    editors_house fixture;
    // This server has not heard of the draft yet, and knows an old revision.
    auto behind = std::make_shared<revision::edit_state_snapshot>();
    behind->head = revision::revision_record{.number = 6, .digest = "old", .kind = "first"};
    fixture.known.publish(behind);
    const auto edit = fixture.begin("anna");
    REQUIRE(fixture.put_group({.edit = edit}).has_value());
    int looks = 0;
    fixture.reconciler.woken = [&] {
        if (++looks == 1) fixture.publish(7);
    };

    const auto response = fixture.ask("edits.apply", {{"edit", edit}}, {});

    REQUIRE(response.has_value());
    CHECK(response->content.at("state").as_string() == "applied");
    CHECK(response->content.at("revision").at("number").to_number<int>() == 7);
}

TEST_CASE("a revision shows the sections that its reader may read where they are edited") {
    editors_house fixture;
    const revision::section groups{.name = "groups", .items = {{"web", "{}"}}};
    const revision::section roles{.name = "roles", .items = {{"night", R"({"rights":[]})"}}};
    const revision::sections content{{"groups", groups}, {"roles", roles}};
    const revision::revision_record what{
        .number = 1,
        .digest = "d",
        .kind = "first",
        .made = fixture.clock.wall(),
        .sections = revision::digests_of(content)};
    const std::vector<revision::direct_change> entries{
        {.by = "anna", .operation = "roles.create", .subject = "night", .at = fixture.clock.wall()},
        {.by = "anna",
         .operation = "groups.replace",
         .subject = "web",
         .at = fixture.clock.wall()}};
    REQUIRE(run_sync(fixture.kept.write({.record = what, .entries = entries}, content, 1)));
    const auto viewer =
        access::permissions({{.role = "looks", .zone = ""}}, {{"looks", {right::fleet_read}}});
    const auto text_of = [&](const char* name, const access::permissions& may) {
        const auto response = fixture.ask(name, {{"number", "1"}}, {.user = "ben", .may = may});
        REQUIRE(response.has_value());
        return json::serialize(response->content);
    };

    const auto text = text_of("revisions.show", viewer);
    CHECK_FALSE(text.contains("night"));
    CHECK(text.contains(R"("needs":"people.read")"));
    CHECK(text.contains(R"("name":"web")"));
    const auto differs = text_of("revisions.diff", viewer);
    CHECK_FALSE(differs.contains("night"));
    CHECK(differs.contains(R"("hidden":["roles"])"));
    CHECK(text_of("revisions.show", as("admin")).contains("night"));
    CHECK(text_of("revisions.diff", as("admin")).contains(R"("hidden":[])"));
}

TEST_CASE("a revert drafts what restores the items, and skips those that changed again") {
    editors_house fixture;
    const std::string old_web = R"({"expression":"tag:web","description":""})";
    fixture.publish_groups(1, {{"web", old_web}, {"db", "{}"}});
    fixture.publish_groups(
        2, {{"web", R"({"expression":"*","description":""})"}, {"db", R"({"a":1})"}});
    fixture.publish_groups(
        3, {{"web", R"({"expression":"*","description":""})"}, {"db", R"({"a":2})"}});
    const auto edit = fixture.begin("anna");

    const auto response = fixture.ask("revisions.revert", {{"number", "2"}, {"edit", edit}}, {});

    REQUIRE(response.has_value());
    const auto change = fixture.only_change();
    CHECK(change.operation == "groups.replace");
    CHECK(change.name == "web");
    CHECK(json::parse(change.arguments).at("expression") == "tag:web");
    CHECK(response->content.at("changes").as_array().size() == 1);
    REQUIRE(response->content.at("skipped").as_array().size() == 1);
    CHECK(response->content.at("skipped").at(0).at("name") == "db");
    CHECK(fixture.done == 0);
    CHECK(
        fixture.ask("revisions.revert", {{"number", "9"}, {"edit", edit}}, {}).error().code()
        == errc::not_found);
}

}  // namespace
}  // namespace muster::api
