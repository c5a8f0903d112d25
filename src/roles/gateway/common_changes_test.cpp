#include "roles/gateway/common_changes.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "base/prng.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/gateway/carried_rights.h"
#include "roles/gateway/registry.h"
#include "roles/revision/common_follower.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <memory>

namespace muster::gateway {
namespace {

using namespace api;
using access::right;
using harness::answer_of;

access::permissions as(const char* role, const char* zone = "") {
    return access::permissions({{.role = role, .zone = zone}}, access::built_in_roles());
}

// A gateway with operations that only count, zones eu with de below it, and two users.
struct house {
    harness::temporary_directory where{"common"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus doorbell{time};
    cluster::announcer bell{doorbell, log};
    cluster::topology_cell places;
    people::roster_cell people;
    front_desk entrance{time};
    std::shared_ptr<office> desk;
    registry all{time, {}};
    leader_line line{{.all = all, .desk = entrance, .time = time, .tls = [] {
                          return result<std::shared_ptr<const net::tls_client>>(
                              fail(errc::unavailable, "alone"));
                      }}};
    revision::leadership seat{
        {.store = *store, .time = time, .log = log}, {.server = "here", .address = "here:8443"}};
    revision::draft_desk drafts{*store, time, {}};
    common_changes gate{
        {.store = *store,
         .seat = seat,
         .desk = drafts,
         .line = line,
         .time = time,
         .log = log,
         .server = "here",
         .changed = [] {
         }}};
    revision::common_cell known;
    revision::common_follower follower{*store, time, known, log};
    int done = 0;
    std::optional<std::set<std::string>> zones_seen;

    house() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        auto now = std::make_shared<cluster::topology>();
        now->zones["eu"] = {.name = "eu"};
        now->zones["de"] = {.name = "de", .parent = "eu"};
        places.publish(std::move(now));
        set_users({{"anna", "admin"}, {"ben", "admin"}});
        desk = std::make_shared<office>(
            office::surroundings{
                .engines = {.metadata = *store, .records = *records, .doorbell = doorbell},
                .bell = bell,
                .topology = places,
                .people = people,
                .cluster = {}},
            time,
            people::people_office::options());
        entrance.open(desk);
        all.guard_with(gate);
        declare("groups.put", right::groups_change, scope::cluster, {in_body("name", name())});
        declare("windows.assign", right::windows_change, scope::filtered, {});
        declare("systems.tag", right::systems_change, scope::filtered, {});
        declare(
            "accept-rules.add",
            right::keys_decide,
            scope::cluster,
            {in_body("name", name()), secret_in_body("activation_key", text())});
    }

    void set_users(std::map<std::string, std::string> roles, bool disabled = false) {
        people::records<people::user_record> users;
        for (const auto& [name, role] : roles)
            users[name] = {
                .record = {
                    .name = name, .grants = {{.role = role, .zone = ""}}, .disabled = disabled}};
        people::roster next;
        next.users = std::make_shared<const people::records<people::user_record>>(std::move(users));
        people.publish(std::make_shared<const people::roster>(std::move(next)));
    }

    void declare(const char* name, right needed, scope within, std::vector<parameter> takes) {
        REQUIRE(all.add(
                       {.name = name,
                        .summary = "x",
                        .method = verb::post,
                        .path = std::string("/") + name,
                        .takes = std::move(takes),
                        .needed = needed,
                        .within = within},
                       done_by(this, &house::do_it))
                    .has_value());
    }
    async<reply> do_it(call asked) {
        ++done;
        zones_seen = asked.zones();
        co_return reply{boost::json::object{{"ok", true}}};
    }

    struct how {
        std::string edit = {};
        std::string user = "anna";
        access::permissions may = as("admin");
    };
    result<reply> ask(const char* name, value::record given, how asks) {
        const auto* which = all.find(name);
        REQUIRE(which != nullptr);
        visitor who;
        who.user = asks.user;
        who.may = asks.may;
        who.desk = desk;
        call asked(which->what, std::move(who), value(std::move(given)));
        asked.edit = asks.edit;
        return answer_of(all.perform(*which, std::move(asked)));
    }
    result<reply> put_group(how asks) { return ask("groups.put", {{"name", "web"}}, asks); }

    std::string begin(const std::string& user) {
        auto found = answer_of(seat.lead());
        REQUIRE(found.has_value());
        auto made = answer_of(drafts.begin(*found->own, user, ""));
        REQUIRE(made.has_value());
        return made->who.id;
    }
    revision::drafted_change only_change() {
        const auto changes = answer_of(drafts.changes());
        REQUIRE(changes.has_value());
        REQUIRE(changes->size() == 1);
        return changes->front();
    }
    result<void> carry_out(const revision::drafted_change& change) {
        return answer_of(gate.carry_out(change, &all, &entrance));
    }
};

TEST_CASE("while nobody edits a change is done at once, and noted for the next revision") {
    house here;
    REQUIRE(here.put_group({}).has_value());
    CHECK(here.done == 1);
    REQUIRE(answer_of(here.follower.catch_up()).has_value());
    const auto view = here.known.read();
    REQUIRE(view->notes.size() == 1);
    CHECK(view->notes.begin()->second.by == "anna");
    CHECK(view->notes.begin()->second.operation == "groups.put");
    CHECK_FALSE(view->leader.has_value());  // its turn is over
}

TEST_CASE("while somebody edits others' changes are refused, and what is systems' goes on") {
    house here;
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
    house here;
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
    house here;
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
        for (const auto each : access::all_rights()) {
            CHECK(back->everywhere(each) == may.everywhere(each));
            for (const auto* const zone : {"eu", "de", "us"})
                CHECK(back->in(zone, each, tree) == may.in(zone, each, tree));
        }
    }
    CHECK_FALSE(decode_rights("[]").has_value());
    CHECK_FALSE(decode_rights(R"({"jobs.run":"eu"})").has_value());
}

}  // namespace
}  // namespace muster::gateway
