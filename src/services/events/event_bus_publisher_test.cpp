#include "services/events/event_bus_publisher.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "core/events/event_kind.h"
#include "ports/deadline.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace muster::events {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using harness::run_sync;

event_record told(const std::string& id, std::string_view kind_of_it) {
    event_record event;
    event.anchor = wall_time(1s);
    event.id = id;
    event.kind = std::string(kind_of_it);
    event.at = event.anchor;
    event.data = "{}";
    return event;
}

struct world {
    harness::temporary_directory where{"ringer"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus bus{clock};
    cluster::bus_publisher bell{bus, log};
    event_log events{*records, clock};
    event_bus_publisher rings{events, bell, log};

    world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }
};

// What the bus says of events that are written while a server rings for them. Which of the first
// ones it is early enough for nobody promises, so they are written until it is heard.
async<std::string> first_ring(world* on) {
    CO_TRY(const auto heard, co_await on->bus.subscribe(std::string(event_bus_publisher::subject)));
    for (int n = 0; n < 100; ++n) {
        std::vector<event_record> both{
            told("n" + std::to_string(n), kind::node_serving),
            told("j" + std::to_string(n), kind::job_made)};
        CO_CHECK_OK(co_await on->events.write(std::move(both)));
        const auto message = co_await within(on->clock, 300ms, heard->next());
        if (message) co_return message->payload;
    }
    co_return fail(errc::timed_out, "nobody rang");
}

boost::asio::awaitable<void> listen(world& on, std::string& payload) {
    runtime::task_group work(
        co_await boost::asio::this_coro::executor,
        [](const std::string&, std::exception_ptr thrown) { std::rethrow_exception(thrown); });
    work.spawn("announce", on.bell.run());
    const std::atomic<bool> active = true;
    work.spawn("ring", on.rings.run(active));
    const auto rung = co_await first_ring(&on);
    work.cancel();
    co_await work.join();
    payload = rung ? *rung : to_string(rung.error());
}

TEST_CASE("the bus rings with how many events of which kind there are, and where to read on") {
    world on;
    std::string payload;
    harness::real_event_loop loop;
    loop.run(listen(on, payload));

    INFO(payload);
    const auto read = json::parse(payload);
    CHECK(read.at("counts").at("job.made").to_number<int>() >= 1);
    CHECK(
        read.at("counts").at("node.serving").to_number<int>()
        == read.at("counts").at("job.made").to_number<int>());
    const auto next = json::value_to<std::string>(read.at("next"));
    CHECK(parse_event_position(next).value().events >= 2);
}

}  // namespace
}  // namespace muster::events
