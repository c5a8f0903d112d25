#include "runtime/following/table_follower.h"

#include "runtime/metrics.h"
#include "tests/harness/captured_log.h"
#include "tests/harness/manual_clock.h"
#include "tests/harness/memory_ledger.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::runtime {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct device {
    std::string name;
    std::string state;
    std::int64_t sequence = 0;
};

result<device> decode_device(const table::row& cells) {
    table::row_reader in("devices", cells);
    device read;
    read.name = in.take<std::string>("name");
    read.state = in.take<std::string>("state");
    if (read.state != "up" && read.state != "down") in.mark_faulty("state");
    read.sequence = in.take_sequence();
    CHECK_OK(in.finish());
    return read;
}

table::schema devices_schema() {
    table::definition devices{
        .name = "devices",
        .columns = {{.name = "name"}, {.name = "state"}},
        .key = {"name"},
        .partition = std::nullopt,
        .sequenced = table::sequencing::by_commit};
    table::schema schema;
    schema.migrations.push_back(
        {.version = 1,
         .description = "Devices.",
         .steps = {table::create_table{std::move(devices)}}});
    return schema;
}

// A follower of `devices` on a loop and a clock that the test turns by hand.
struct world {
    asio::io_context loop;
    harness::manual_clock clock;
    harness::captured_log lines;
    harness::memory_ledger records{clock};
    std::map<std::string, std::string> known;
    std::vector<std::size_t> pages;      // how many rows each had
    std::optional<error> apply_fails;    // with the next page, once
    std::function<void()> during_apply;  // of the next page, once
    table_follower<device> follower{
        {.ledger = records, .clock = clock, .log = lines.log()},
        {.table = "devices", .page_rows = 2, .wait_max = 5s, .retry_pause = 1s},
        &decode_device,
        [this](std::vector<device> rows) {
            return apply(std::move(rows));
        }};
    asio::cancellation_signal enough;
    bool ended = false;

    world() { REQUIRE(answer(records.migrate(devices_schema())).has_value()); }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() { stop(); }

    async<void> apply(std::vector<device> rows) {
        pages.push_back(rows.size());
        if (const auto then = std::exchange(during_apply, nullptr)) then();
        if (const auto why = std::exchange(apply_fails, std::nullopt)) co_return fail(*why);
        for (const auto& row : rows) known[row.name] = row.state;
        co_return result<void>();
    }

    void settle() {
        loop.restart();
        loop.poll();
    }
    void pass(monotonic::duration span) {
        clock.advance(span);
        settle();
    }
    template <class T>
    static asio::awaitable<void> keep(async<T> work, std::optional<result<T>>& into) {
        into = co_await std::move(work);
    }
    template <class T>
    result<T> answer(async<T> work) {
        std::optional<result<T>> outcome;
        asio::co_spawn(loop, keep(std::move(work), outcome), [](const std::exception_ptr&) {});
        settle();
        REQUIRE(outcome.has_value());
        return *std::move(outcome);
    }
    void start() {
        asio::co_spawn(
            loop,
            follower.run(),
            asio::bind_cancellation_slot(
                enough.slot(), [this](const std::exception_ptr&) { ended = true; }));
        settle();
    }
    void stop() {
        enough.emit(asio::cancellation_type::terminal);
        settle();
    }

    void put(std::string name, std::string state) {
        records.put(
            {.table = "devices",
             .rows = {{std::move(name), std::move(state)}},
             .existing = table::replace{}});
    }
};

using devices = std::map<std::string, std::string>;

TEST_CASE("all rows arrive, a page at a time, and later ones when they are written") {
    world on;
    for (const auto* const name : {"a", "b", "c"}) on.put(name, "up");

    on.start();
    CHECK(on.known == devices{{"a", "up"}, {"b", "up"}, {"c", "up"}});
    CHECK(on.pages == std::vector<std::size_t>{2, 1});

    on.put("b", "down");
    on.settle();
    CHECK(on.known.at("b") == "down");
    CHECK(on.pages.back() == 1);
}

TEST_CASE("a row that is not announced is found when the wait ends") {
    world on;
    on.start();
    CHECK(on.records.last_timeout() == 5s);
    const auto reads = on.records.reads();

    on.pass(4s);
    CHECK(on.records.reads() == reads);
    on.pass(1s);

    CHECK(on.records.reads() == reads + 1);
}

TEST_CASE("an unreadable row is skipped, counted and logged once, and hides no other") {
    world on;
    metrics metrics;
    on.follower.rows().export_to(metrics);
    on.put("a", "up");
    on.put("b", "on fire");
    on.put("c", "up");
    on.put("d", "down");

    on.start();
    CHECK(on.known == devices{{"a", "up"}, {"c", "up"}, {"d", "down"}});
    CHECK(on.follower.rows().unreadable() == 1);
    CHECK(on.follower.rows().position() == 4);
    CHECK(metrics.text().contains(R"(muster_rows_unreadable_total{table="devices"} 1)"));

    // Reading it again changes nothing.
    on.follower.rows().restart_at(0);
    REQUIRE(on.answer(on.follower.refresh()).has_value());
    REQUIRE(on.answer(on.follower.read_all([](const std::vector<device>&) {})).has_value());
    CHECK(on.follower.rows().unreadable() == 1);
    CHECK(on.lines.lines_with("unreadable row skipped table=devices sequence=2") == 1);
    CHECK(on.lines.lines_with("has an invalid state") == 1);
    CHECK(on.lines.lines_with("table follow failed") == 0);

    // Written anew it is another row.
    on.put("b", "up");
    on.settle();
    CHECK(on.known.at("b") == "up");
}

TEST_CASE("a page of unreadable rows only does not stop those behind it") {
    world on;
    for (const auto* const name : {"a", "b", "c"}) on.put(name, "on fire");
    on.put("d", "up");

    REQUIRE(on.answer(on.follower.refresh()).has_value());

    CHECK(on.known == devices{{"d", "up"}});
    CHECK(on.follower.rows().unreadable() == 3);
}

TEST_CASE("the log does not grow with the number of unreadable rows") {
    constexpr auto most = row_follower::unreadable_remembered_max;
    world on;
    for (std::size_t n = 0; n < most + 50; ++n) on.put("device" + std::to_string(n), "on fire");

    REQUIRE(on.answer(on.follower.refresh()).has_value());

    CHECK(on.follower.rows().unreadable() == most + 50);
    CHECK(on.lines.lines_with("unreadable row skipped") == most);
    CHECK(on.lines.lines_with("further unreadable rows not logged") == 1);
}

TEST_CASE("an outage is logged when it begins and when it ends, however often it is retried") {
    world on;
    on.put("a", "up");
    on.start();

    on.records.begin_outage({errc::unavailable, "engine is away"});
    on.settle();
    for (int retries = 0; retries < 10; ++retries) on.pass(1s);
    CHECK(on.lines.lines_with("table follow failed table=devices") == 1);
    CHECK(on.lines.lines_with("engine is away") == 1);
    CHECK(on.lines.lines_with("table follow resumed") == 0);

    on.put("b", "up");
    on.records.end_outage();
    on.pass(1s);
    CHECK(on.known.contains("b"));
    CHECK(on.lines.lines_with("table follow resumed table=devices") == 1);
    CHECK(on.lines.lines_with("table follow failed") == 1);

    // The next one is another one.
    on.records.begin_outage({errc::unavailable, "engine is away"});
    on.settle();
    on.records.end_outage();
    on.pass(1s);
    CHECK(on.lines.lines_with("table follow failed") == 2);
    CHECK(on.lines.lines_with("table follow resumed") == 2);
}

TEST_CASE("a failed attempt is followed by a pause") {
    world on;
    on.records.begin_outage({errc::unavailable, "engine is away"});
    on.start();
    CHECK(on.records.reads() == 1);

    on.pass(999ms);
    CHECK(on.records.reads() == 1);
    on.pass(1ms);
    CHECK(on.records.reads() == 2);
}

TEST_CASE("a row that is written while a page is read is not lost") {
    world on;
    on.put("a", "up");
    on.records.during_next_read([&on] {
        on.put("b", "up");
        on.put("a", "down");
    });

    on.start();

    CHECK(on.known == devices{{"a", "down"}, {"b", "up"}});
}

TEST_CASE("a page that could not be applied is read again") {
    world on;
    on.put("a", "up");
    on.put("b", "up");
    on.apply_fails = error(errc::unavailable, "engine is away");

    on.start();
    CHECK(on.known.empty());
    CHECK(on.follower.rows().position() == 0);
    on.pass(1s);

    CHECK(on.known == devices{{"a", "up"}, {"b", "up"}});
    CHECK(on.lines.lines_with("table follow failed") == 1);
}

TEST_CASE("after a restart everything behind the given place is read again") {
    world on;
    for (const auto* const name : {"a", "b", "c"}) on.put(name, "up");
    REQUIRE(on.answer(on.follower.refresh()).has_value());
    on.known.clear();

    on.follower.rows().restart_at(1);
    REQUIRE(on.answer(on.follower.refresh()).has_value());

    CHECK(on.known == devices{{"b", "up"}, {"c", "up"}});
    CHECK(on.follower.rows().position() == 3);
}

TEST_CASE("a refresh that is overtaken by a restart begins anew from there") {
    world on;
    for (const auto* const name : {"a", "b", "c"}) on.put(name, "up");
    REQUIRE(on.answer(on.follower.refresh()).has_value());
    on.known.clear();
    on.put("d", "up");
    on.records.during_next_read([&on] { on.follower.rows().restart_at(0); });

    REQUIRE(on.answer(on.follower.refresh()).has_value());

    CHECK(on.known == devices{{"a", "up"}, {"b", "up"}, {"c", "up"}, {"d", "up"}});
    CHECK(on.follower.rows().position() == 4);
    CHECK(on.pages == std::vector<std::size_t>{2, 1, 2, 2});  // not the one read before it
}

TEST_CASE("a restart while a page is applied is not undone by that page") {
    world on;
    for (const auto* const name : {"a", "b", "c"}) on.put(name, "up");
    REQUIRE(on.answer(on.follower.refresh()).has_value());
    on.put("d", "up");
    on.during_apply = [&on] {
        on.known.clear();
        on.follower.rows().restart_at(0);
    };

    REQUIRE(on.answer(on.follower.refresh()).has_value());

    CHECK(on.known == devices{{"a", "up"}, {"b", "up"}, {"c", "up"}, {"d", "up"}});
}

TEST_CASE("reading the whole table leaves the position where it is") {
    world on;
    for (const auto* const name : {"a", "b", "c"}) on.put(name, "up");
    devices fresh;
    const auto up_to = on.answer(on.follower.read_all([&fresh](const std::vector<device>& rows) {
        for (const auto& row : rows) fresh[row.name] = row.state;
    }));

    CHECK(up_to.value() == 3);
    CHECK(fresh == devices{{"a", "up"}, {"b", "up"}, {"c", "up"}});
    CHECK(on.known.empty());
    CHECK(on.follower.rows().position() == 0);
}

TEST_CASE("rows that were skipped on purpose are not read") {
    world on;
    on.put("a", "up");
    on.put("b", "up");
    on.follower.rows().skip_to(on.answer(on.follower.rows().newest()).value());
    on.put("c", "up");
    on.follower.rows().skip_to(1);

    REQUIRE(on.answer(on.follower.refresh()).has_value());

    CHECK(on.known == devices{{"c", "up"}});
}

TEST_CASE("cancelling ends it while it waits, and during an outage") {
    SUBCASE("while it waits") {
        world on;
        on.start();
        on.stop();
        CHECK(on.ended);
        CHECK(on.lines.lines_with("table follow failed") == 0);
    }
    SUBCASE("during an outage") {
        world on;
        on.records.begin_outage({errc::unavailable, "engine is away"});
        on.start();
        on.stop();
        CHECK(on.ended);
    }
}

}  // namespace
}  // namespace muster::runtime
