#include "ports/contract/ledger_cases.h"
#include "ports/contract/ledger_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "ports/deadline.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Promises that hold when the engine dies or the way to it is lost.
namespace muster::contract {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr std::size_t batch_rows = 3;

struct storm {
    std::set<std::string> acknowledged;  // batches
    std::set<std::string> tried;
    bool stop = false;
};

table::batch storm_batch(const std::string& name) {
    std::vector<table::row> rows;
    for (std::size_t part = 0; part < batch_rows; ++part)
        rows.push_back(machine(name + "/" + std::to_string(part), 1));
    return one_write("machines", std::move(rows));
}

// Writes until it is told to stop or is told no.
awaitable<void> write_on(
    std::shared_ptr<ledger_test_client> scene, std::shared_ptr<storm> all, int writer) {
    for (int number = 0; !all->stop; ++number) {
        const auto name = std::to_string(writer) + "." + std::to_string(number);
        all->tried.insert(name);
        const auto done = co_await scene->store().write(storm_batch(name));
        if (!done) {
            const bool honest =
                done.error().code() == errc::unavailable || done.error().code() == errc::timed_out;
            CHECK_MESSAGE(honest, to_string(done.error()));
            co_return;
        }
        all->acknowledged.insert(name);
    }
}

awaitable<void> kill_in_the_middle(
    ledger_fixture& fixture,
    std::shared_ptr<ledger_test_client> scene,
    std::shared_ptr<storm> all) {
    for (int waited = 0; all->acknowledged.size() < 50 && waited < 500; ++waited)
        co_await scene->sleep(10ms);
    CHECK(all->acknowledged.size() >= 50);
    co_await fixture.kill_engine();
    co_await scene->sleep(50ms);
    co_await fixture.restart_engine();
    all->stop = true;
}

awaitable<void> check_storm(std::shared_ptr<ledger_test_client> scene, std::shared_ptr<storm> all) {
    std::map<std::string, std::size_t> matches;
    const auto rows = co_await scene->read_all(all_of("machines"));
    for (const auto& cells : rows) {
        const auto name = text_cell(cells, 0);
        ++matches[name.substr(0, name.find('/'))];
    }
    for (const auto& name : all->acknowledged) {
        CAPTURE(name);
        CHECK(matches[name] == batch_rows);
    }
    for (const auto& [name, parts] : matches) {
        if (parts == 0) continue;
        CAPTURE(name);
        CHECK(parts == batch_rows);
        CHECK(all->tried.contains(name));
    }
}

awaitable<void> what_was_acknowledged_survives(ledger_fixture& fixture) {
    constexpr int writers = 8;
    auto scene = std::make_shared<ledger_test_client>(fixture);
    co_await scene->migrate();
    auto all = std::make_shared<storm>();
    std::vector<awaitable<void>> work;
    for (int number = 0; number < writers; ++number) work.push_back(write_on(scene, all, number));
    work.push_back(kill_in_the_middle(fixture, scene, all));

    co_await run_concurrently(std::move(work));

    auto after = std::make_shared<ledger_test_client>(fixture, scene->database());
    co_await after->migrate();
    co_await check_storm(after, all);
    const auto again = co_await after->write(storm_batch("after the storm"));
    CHECK(again.changed + again.kept == batch_rows);
}

awaitable<void> sequences_go_on_after_a_crash(ledger_fixture& fixture) {
    auto scene = std::make_shared<ledger_test_client>(fixture);
    co_await scene->migrate();
    const auto before = co_await scene->write(one_write("machines", {machine("web1", 1)}));

    co_await fixture.kill_engine();
    co_await fixture.restart_engine();

    ledger_test_client after(fixture, scene->database());
    co_await after.migrate();
    const auto second = co_await after.write(one_write("machines", {machine("web2", 1)}));
    CHECK(second.last > before.last);
}

awaitable<void> a_lost_link_is_told_in_time(ledger_fixture& fixture) {
    ledger_test_client scene(fixture);
    co_await scene.migrate();
    co_await scene.write(one_write("machines", {machine("web1", 1)}));
    co_await fixture.cut_link();
    const instant began = scene.clock().now();

    const auto written = co_await scene.store().write(one_write("machines", {machine("web2", 1)}));
    const auto read = co_await scene.store().read(all_of("machines"));
    const auto waited = co_await scene.store().wait_for_change("machines", {}, 100ms);

    CHECK(scene.clock().now() - began < 40s);
    REQUIRE_FALSE(written.has_value());
    const bool honest =
        written.error().code() == errc::unavailable || written.error().code() == errc::timed_out;
    CHECK_MESSAGE(honest, to_string(written.error()));
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code() == errc::unavailable);
    if (!waited) CHECK(waited.error().code() == errc::unavailable);

    co_await fixture.heal_link();
    co_await scene.write(one_write("machines", {machine("web2", 1)}));
    const auto rows = co_await scene.read_all(all_of("machines"));
    CHECK(rows.size() == 2);
}

awaitable<void> wait_through(std::shared_ptr<ledger_test_client> scene, table::sequence after) {
    const instant timeout_end = scene->clock().now() + 30s;
    while (scene->clock().now() < timeout_end) {
        const auto last = co_await scene->store().wait_for_change("machines", after, 2s);
        if (last && *last > after) co_return;
    }
    FAIL("the change was never seen");
}

awaitable<void> cut_heal_and_write(
    ledger_fixture& fixture, std::shared_ptr<ledger_test_client> scene) {
    co_await scene->sleep(100ms);
    co_await fixture.cut_link();
    co_await scene->sleep(200ms);
    co_await fixture.heal_link();
    co_await scene->write(one_write("machines", {machine("web2", 1)}));
}

awaitable<void> a_wait_outlives_a_lost_link(ledger_fixture& fixture) {
    auto scene = std::make_shared<ledger_test_client>(fixture);
    co_await scene->migrate();
    const auto first = co_await scene->write(one_write("machines", {machine("web1", 1)}));
    std::vector<awaitable<void>> work;
    work.push_back(wait_through(scene, first.last));
    work.push_back(cut_heal_and_write(fixture, scene));

    co_await run_concurrently(std::move(work));
}

}  // namespace

std::span<const ledger_case> ledger_fault_cases() {
    static const std::vector<ledger_case> cases{
        {"what was acknowledged survives kill -9, whole batches only",
         ledger_fault::engine_loss,
         what_was_acknowledged_survives},
        {"sequences go on after a crash", ledger_fault::engine_loss, sequences_go_on_after_a_crash},
        {"a lost link is told in time, and the client recovers alone",
         ledger_fault::link_loss,
         a_lost_link_is_told_in_time},
        {"a wait outlives a lost link", ledger_fault::link_loss, a_wait_outlives_a_lost_link},
    };
    return cases;
}

}  // namespace muster::contract
