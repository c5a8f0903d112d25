#include "roles/node/dispatch/task_result_writer.h"

#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/jobs/task_row.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <vector>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;

// Takes everything at once and remembers how many rows came with each batch.
class counting_ledger final : public ledger {
public:
    std::vector<std::size_t> batches;
    std::vector<table::row> rows;  // of the last one
    completion<void> held;         // what the first batch waits for
    bool fails_first = false;      // and then fails

    async<void> migrate(table::schema /*wanted*/) override { co_return result<void>(); }
    async<table::summary> write(table::batch change) override {
        batches.push_back(table::row_count(change));
        rows = change.writes.front().rows;
        if (std::exchange(fails_first, false)) {
            CO_CHECK_OK(co_await await_callback<void>(
                [this](completion<void> done) { held = std::move(done); }));
        }
        co_return table::summary{};
    }
    async<table::page> read(table::query /*question*/) override { co_return table::page{}; }
    async<table::sequence> wait_for_change(
        std::string /*table*/,
        table::sequence after,
        std::chrono::milliseconds /*timeout*/) override {
        co_return after;
    }
    async<void> ensure_partitions(table::partition_range /*wanted*/) override {
        co_return result<void>();
    }
    async<void> drop_partitions(std::string /*table*/, wall_time /*before*/) override {
        co_return result<void>();
    }
    async<ledger_identity> identity() override { co_return ledger_identity{}; }
};

class deaf_listener final : public task_result_writer::listener {
public:
    void on_recorded(
        std::vector<task_record> /*rows*/, task_result_writer::write_outcome /*outcome*/) override {
    }
};

struct fixture {
    boost::asio::io_context loop;
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    counting_ledger records;
    deaf_listener listener;
    task_result_writer keeper;
    runtime::task_group tasks;

    explicit fixture(monotonic::duration gather_time)
        : keeper(
              {.ledger = records, .clock = clock, .log = log, .listener = listener},
              {.gather_min = 8, .gather_time = gather_time}),
          tasks(loop.get_executor(), [](const std::string&, const std::exception_ptr&) {}) {
        tasks.spawn("keep returns", keeper.run());
        loop.poll();
    }

    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    ~fixture() {
        tasks.cancel();
        loop.run();
    }

    void submit(std::int64_t first, std::int64_t count) {
        for (auto system = first; system < first + count; ++system)
            REQUIRE(keeper.submit({.job = job_id(1), .system = system}));
        loop.poll();
    }
};

TEST_CASE("tasks that come alone are written at once, one after the other") {
    fixture setup(1h);
    for (std::int64_t system = 1; system <= 20; ++system) setup.submit(system, 1);
    CHECK(setup.records.batches == std::vector<std::size_t>(20, 1));
}

TEST_CASE("after many at once, what comes within the gathering time goes with one commit") {
    fixture setup(10ms);
    setup.submit(1, 8);
    for (std::int64_t system = 9; system <= 28; ++system) setup.submit(system, 1);
    while (setup.keeper.written() < 28) setup.loop.run_one();
    CHECK(setup.records.batches == std::vector<std::size_t>{8, 20});
}

TEST_CASE("what is enough for a batch of its own waits for nobody") {
    fixture setup(1h);
    setup.submit(1, 5'000);
    CHECK(setup.records.batches == std::vector<std::size_t>{2'000, 2'000});
    CHECK(setup.keeper.waiting() == 1'000);
}

TEST_CASE("what could not be written gives way only to what ranks above it") {
    fixture setup(10ms);
    setup.records.fails_first = true;
    task_record task{.job = job_id(1), .system = 1, .state = task_state::failed};
    task.picked_up = wall_time(1s);
    REQUIRE(setup.keeper.submit(task));
    setup.loop.poll();
    const task_record again{
        .job = job_id(1), .system = 1, .attempt = 2, .state = task_state::queued};
    REQUIRE(setup.keeper.submit(again));

    setup.records.held(fail(errc::unavailable, "the ledger is away"));
    while (setup.keeper.written() < 1) setup.loop.run_one();

    REQUIRE(setup.records.rows.size() == 1);
    CHECK(setup.records.rows.front() == jobs::encode_task(task));
}

}  // namespace
}  // namespace muster::dispatch
