#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "runtime/clock.h"
#include "services/presence/history_reader.h"
#include "services/presence/history_rows.h"
#include "services/presence/presence_history_pruner.h"
#include "services/presence/presence_history_writer.h"
#include "services/presence/presence_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/fixtures/presence/fixed_start.h"
#include "tests/harness/forwarding_ledger.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

namespace muster::presence::history {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using session::reason;

const system_number web1(1);
const wall_time noon(1'800'014'400s);  // where a chapter begins

// Stands still until it is moved.
class held_clock final : public clock {
public:
    instant now() const override { return instant(wall_.time_since_epoch()); }
    wall_time wall() const override { return wall_; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }
    void pass(std::chrono::microseconds span) { wall_ += span; }

private:
    runtime::system_clock real_;
    wall_time wall_ = noon;
};

// The real ledger, which can be away.
class far_ledger final : public harness::forwarding_ledger {
public:
    using forwarding_ledger::forwarding_ledger;

    async<table::summary> write(table::batch change) override {
        if (away) co_return fail(errc::unavailable, "the ledger is away");
        co_return co_await forwarding_ledger::write(std::move(change));
    }
    async<table::page> read(table::query question) override {
        ++readings;
        return forwarding_ledger::read(std::move(question));
    }

    bool away = false;
    int readings = 0;
};

enum class engine : std::uint8_t { sqlite, postgres };
constexpr std::array engines{engine::sqlite, engine::postgres};

harness::postgres_server& postgres() {
    static harness::postgres_server postgres_server;
    return postgres_server;
}

std::string fresh_database() {
    static int count = 0;
    auto name = "history" + std::to_string(++count);
    postgres().create_database(name);
    return name;
}

std::unique_ptr<ledger> open_ledger(engine which, const std::filesystem::path& where) {
    if (which == engine::sqlite) return ledger_sqlite::open({.file = where / "ledger.db"}).value();
    return ledger_postgres::open(
        {.address = postgres().address(fresh_database()), .tls = ledger_postgres::tls_mode::off});
}

struct site {
    harness::temporary_directory where{"history"};
    held_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> kept;
    far_ledger records{*kept};
    cluster::topology_cache topology;
    reader reads{records, clock};

    explicit site(engine which = engine::sqlite) : kept(open_ledger(which, where.path())) {
        REQUIRE(run_sync(records.migrate(schema::ledger_schema())).has_value());
    }

    std::vector<segment> line(wall_time since = noon) {
        const auto read =
            run_sync(reads.read({.system = web1, .since = since, .until = clock.wall()}));
        REQUIRE(read.has_value());
        CHECK(read->until == clock.wall());
        return read->segments;
    }
};

// One process of a node.
struct node {
    node(site& at, std::int64_t number, std::int64_t start, std::size_t waiting_max = 240)
        : all(at),
          started(start),
          writes(
              {.ledger = at.records,
               .clock = at.clock,
               .log = at.log,
               .topology = topology,
               .start = started},
              {.node = "alpha", .queued_max = waiting_max, .interval_max = 7h}) {
        auto next = std::make_shared<cluster::topology>();
        next->nodes["alpha"] = {.number = node_number(number), .name = "alpha", .zone = "default"};
        topology.publish(std::move(next));
        turn();
    }

    void come() {
        writes.record(
            {.attach_events =
                 {{.system = web1, .address = {}, .since = to_seconds(all.clock.wall())}},
             .detach_events = {},
             .started = {}});
    }
    void go(reason why) {
        writes.record(
            {.attach_events = {},
             .detach_events = {{.system = web1, .why = why, .at = to_seconds(all.clock.wall())}},
             .started = {}});
    }
    bool turn() { return run_sync(writes.end_interval()).has_value(); }
    void turns(std::chrono::seconds span, std::chrono::seconds each = 15s) {
        for (auto left = span; left > 0s; left -= each) {
            all.clock.pass(each);
            turn();
        }
    }

    site& all;
    cluster::topology_cache topology;
    test::fixed_start started;
    presence_history_writer writes;
};

std::vector<attachment_state> where_of(const std::vector<segment>& all) {
    std::vector<attachment_state> attachment_states;
    for (const auto& each : all) attachment_states.push_back(each.state);
    return attachment_states;
}

constexpr auto unknown = attachment_state::unknown;
constexpr auto attached = attachment_state::attached;
constexpr auto away = attachment_state::away;

}  // namespace

TEST_CASE("a system's coming and going is read back to the second, over chapters") {
    for (const auto engine : engines) {
        CAPTURE(static_cast<int>(engine));
        site here(engine);
        node alpha(here, 1, 7);
        here.clock.pass(4s);
        alpha.come();
        alpha.turns(15s);
        alpha.turns(20h, 30min);
        here.clock.pass(7s);
        alpha.go(reason::silent);
        const auto left = here.clock.wall();
        alpha.turns(15s);
        alpha.turns(8h, 30min);

        const auto response = here.line();

        REQUIRE(where_of(response) == std::vector{away, attached, away});
        CHECK(response[1].from == noon + 4s);
        CHECK(response[1].until == left);
        CHECK(response[1].node == node_number(1));
        CHECK(response[2].why == reason::silent);
        // The last hour alone is known without a look at what led to it.
        REQUIRE(where_of(here.line(here.clock.wall() - 1h)) == std::vector{away});
    }
}

TEST_CASE("a calm month of one system is a handful of readings") {
    site here;
    node alpha(here, 1, 7);
    alpha.come();
    alpha.turns(15s);
    alpha.turns(2h, 30min);
    for (int chapter = 0; chapter < 120; ++chapter) {
        here.clock.pass(6h);
        alpha.turn();
        alpha.turn();
    }
    here.records.readings = 0;

    CHECK(where_of(here.line()) == std::vector{attached});
    CHECK(here.records.readings <= 8);
}

TEST_CASE("what waits for a ledger that is away is on record later, and nothing is missing") {
    site here;
    node alpha(here, 1, 7);
    here.records.away = true;
    alpha.come();
    alpha.turns(5min);
    here.records.away = false;
    alpha.turns(30s);

    CHECK(where_of(here.line()) == std::vector{attached});
    CHECK(alpha.writes.intervals_lost() == 0);
}

TEST_CASE("what is too much to wait is lost, and told as not known") {
    site here;
    node alpha(here, 1, 7, 4);
    alpha.come();
    alpha.turns(30s);
    here.records.away = true;
    alpha.turns(5min);
    alpha.go(reason::closed);
    alpha.turns(30s);
    here.records.away = false;
    alpha.turns(60s);

    CHECK(alpha.writes.intervals_lost() > 0);
    CHECK(where_of(here.line()) == std::vector{attached, unknown, away});
}

TEST_CASE("a node that died writes nothing: it is not known, until the cluster missed it") {
    site here;
    {
        node alpha(here, 1, 7);
        alpha.come();
        alpha.turns(60s);
    }
    here.clock.pass(10min);
    REQUIRE(where_of(here.line()) == std::vector{attached, unknown});
    auto places = std::make_shared<cluster::topology>();
    places->nodes["alpha"] = {
        .number = node_number(1),
        .name = "alpha",
        .zone = "default",
        .state = membership::node_state::suspect,
        .since = noon + 90s};
    here.topology.publish(std::move(places));
    presence_history_pruner watches(
        {.ledger = here.records, .topology = here.topology, .clock = here.clock, .log = here.log},
        {});

    REQUIRE(run_sync(watches.record_missing_nodes()).has_value());

    const auto response = here.line();
    REQUIRE(where_of(response) == std::vector{attached, unknown, away});
    CHECK(response[2].from == noon + 90s);
    CHECK(response[2].why == reason::node_lost);
}

TEST_CASE("a planned stop is known to the end") {
    site here;
    node alpha(here, 1, 7);
    alpha.come();
    alpha.turns(60s);
    here.clock.pass(5s);
    REQUIRE(run_sync(alpha.writes.finish(
                         {.attach_events = {},
                          .detach_events =
                              {{.system = web1,
                                .why = reason::stopping,
                                .at = to_seconds(here.clock.wall())}},
                          .started = {}}))
                .has_value());
    here.clock.pass(1h);

    const auto response = here.line();

    REQUIRE(where_of(response) == std::vector{attached, away});
    CHECK(response[1].from == noon + 65s);
    CHECK(response[1].why == reason::stopping);
}

TEST_CASE("what is older than it is to be kept is dropped, and the rest is read as before") {
    for (const auto engine : engines) {
        CAPTURE(static_cast<int>(engine));
        site here(engine);
        node alpha(here, 1, 7);
        alpha.come();
        for (int chapter = 0; chapter < 240; ++chapter) {
            here.clock.pass(6h);
            alpha.turn();
            alpha.turn();
        }
        alpha.go(reason::closed);
        alpha.turns(60s);
        presence_history_pruner watches(
            {.ledger = here.records,
             .topology = here.topology,
             .clock = here.clock,
             .log = here.log},
            {});

        REQUIRE(run_sync(watches.prune()).has_value());

        const auto rows = run_sync(here.records.read(
            {.table = std::string(presence_chapters_table), .where = {}, .order = {"opened"}}));
        REQUIRE(rows.has_value());
        CHECK(decode_period(rows->rows.front())->opened > here.clock.wall() - 40 * 24h);
        CHECK(where_of(here.line(here.clock.wall() - 30 * 24h)) == std::vector{attached, away});
    }
}

TEST_CASE("what is no row of the record is refused") {
    CHECK(decode_period({}).error().code() == errc::corrupt);
    const change some{
        .node = node_number(1), .at = noon, .systems = {web1}, .ages = std::string(1, '\0')};
    const presence_recorder::interval_record page{
        .period = {.node = node_number(1), .start = 1, .opened = noon, .until = noon + 1s},
        .present = {},
        .changed = {},
        .changes = {some}};
    auto row = encode(page).writes.back().rows.front();
    REQUIRE(decode_change(row).value() == some);
    row[5] = table::blob{"nonsense"};
    CHECK(decode_change(row).error().code() == errc::corrupt);
}

}  // namespace muster::presence::history
