#include "services/events/event_watcher.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "core/events/event_kind.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/events/event_log.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/task_row.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/until.h"

#include <boost/asio/this_coro.hpp>
#include <doctest/doctest.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace muster::events {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

struct world {
    harness::temporary_directory where{"tail"};
    runtime::system_clock clock;
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    event_log events{*records, clock};
    event_watcher tail{*records, clock, {.timeout = 200ms, .wake_interval = 10ms}};
    int rung = 0;

    world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }
};

async<void> write_event(world* on, std::string id) {
    event_record event;
    event.anchor = wall_time(1s);
    event.at = event.anchor;
    event.id = std::move(id);
    event.kind = std::string(kind::node_serving);
    event.data = "{}";
    return on->events.write({event});
}

async<void> write_return(world* on, std::int64_t system) {
    const task_record task{
        .job = job_id(1'700'000'000'000'000), .system = system, .state = task_state::completed};
    table::batch change;
    change.writes.push_back(
        {.table = std::string(jobs::tasks_table), .rows = {jobs::encode_task(task)}});
    CO_CHECK_OK(co_await on->records->write(std::move(change)));
    co_return result<void>();
}

boost::asio::awaitable<void> wait_for(world* on, std::string kinds, event_position after) {
    const auto rung = co_await on->tail.wait(filter_of(kinds).value(), after, 30s);
    if (rung) ++on->rung;
}

// Runs a scenario beside a tail.
boost::asio::awaitable<void> beside_tail(
    world* on, std::function<boost::asio::awaitable<void>(world*, runtime::task_group*)> scenario) {
    runtime::task_group work(
        co_await boost::asio::this_coro::executor,
        [](const std::string&, std::exception_ptr thrown) { std::rethrow_exception(thrown); });
    work.spawn("follow events", on->tail.follow_events());
    work.spawn("follow returns", on->tail.follow_returns());
    std::exception_ptr failed;
    try {
        co_await scenario(on, &work);
    } catch (...) {
        failed = std::current_exception();
    }
    work.cancel();
    co_await work.join();
    if (failed) std::rethrow_exception(failed);
}

void run(world& on, boost::asio::awaitable<void> (*scenario)(world*, runtime::task_group*)) {
    harness::real_event_loop loop;
    loop.run(beside_tail(&on, scenario));
}

boost::asio::awaitable<void> many_wait(world* on, runtime::task_group* work) {
    const auto end = (co_await on->events.end()).value();
    for (int n = 0; n < 100; ++n) work->spawn("wait", wait_for(on, "*", end));
    co_await harness::until(on->clock, "all wait", [on] { return on->tail.waiter_count() == 100; });
    const auto before = on->tail.polls();
    const auto written = co_await write_event(on, "news");
    REQUIRE(written.has_value());
    co_await harness::until(on->clock, "all are rung", [on] { return on->rung == 100; });
    CHECK(on->tail.polls() - before < 20);
}

TEST_CASE("a hundred who wait are rung by one look at the ledger") {
    world on;
    run(on, many_wait);
}

boost::asio::awaitable<void> each_its_own(world* on, runtime::task_group* work) {
    const auto end = (co_await on->events.end()).value();
    work->spawn("wait", wait_for(on, "node.*", end));
    work->spawn("wait", wait_for(on, "return", end));
    work->spawn("wait", wait_for(on, "*", end));
    co_await harness::until(on->clock, "all wait", [on] { return on->tail.waiter_count() == 3; });
    const auto returned = co_await write_return(on, 1);
    REQUIRE(returned.has_value());
    co_await harness::until(on->clock, "two are rung", [on] { return on->rung == 2; });
    CHECK(on->tail.waiter_count() == 1);
    const auto written = co_await write_event(on, "news");
    REQUIRE(written.has_value());
    co_await harness::until(on->clock, "all are rung", [on] { return on->rung == 3; });
}

TEST_CASE("who waits for events sleeps on when something returns, and who wants both does not") {
    world on;
    run(on, each_its_own);
}

boost::asio::awaitable<void> old_and_patient(world* on, runtime::task_group* /*work*/) {
    const auto written = co_await write_event(on, "news");
    REQUIRE(written.has_value());
    const auto everything = filter_of("*").value();
    const auto news = co_await on->tail.wait(everything, {}, 30s);
    CHECK(news.has_value());
    const auto end = (co_await on->events.end()).value();
    const auto patient = co_await on->tail.wait(everything, end, 1ms);
    CHECK(patient.has_value());
    co_await harness::until(
        on->clock, "nobody waits", [on] { return on->tail.waiter_count() == 0; });
}

TEST_CASE("who is behind does not wait, and who is not waits no longer than its patience") {
    world on;
    run(on, old_and_patient);
}

}  // namespace
}  // namespace muster::events
