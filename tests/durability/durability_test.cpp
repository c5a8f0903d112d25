#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/os/file.h"
#include "adapters/sqlite/database.h"
#include "apps/agent/journal/journal.h"
#include "apps/agent/tasks/task_codec.h"
#include "apps/agent/tasks/task_manager.h"
#include "ports/contract/ledger_test_client.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"
#include "tests/preload/sync_watch.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// What was acknowledged is on the disk, and not only with the kernel: when an answer comes, no file
// holds bytes that were written and not flushed. The whole test program runs on tests/preload's
// sync_watch, so SQLite is seen too.
namespace muster {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

// Watches what is written below a directory from now on.
class flush_watch {
public:
    explicit flush_watch(const std::filesystem::path& directory) {
        sync_watch_begin(std::filesystem::canonical(directory).c_str());
    }
    flush_watch(const flush_watch&) = delete;
    flush_watch& operator=(const flush_watch&) = delete;
    ~flush_watch() { sync_watch_begin(""); }

    // The name of a file whose bytes a power failure could take; empty: there is none.
    std::string endangered() const {
        std::array<char, 512> name{};
        return sync_watch_unflushed(name.data(), name.size()) == 0 ? "" : name.data();
    }
    // Whether anything was written and flushed since the last question.
    bool was_busy() {
        const bool wrote = sync_watch_writes() > std::exchange(writes_, sync_watch_writes());
        const bool flushed = sync_watch_flushes() > std::exchange(flushes_, sync_watch_flushes());
        return wrote && flushed;
    }

private:
    unsigned long writes_ = 0;
    unsigned long flushes_ = 0;
};

TEST_CASE("the watch sees what is not flushed: these tests can fail") {
    const harness::temporary_directory where("durability");
    const auto stored = agent::journal::open(where.path() / "journal").value();
    auto careless = sqlite::database::open({.file = where.path() / "careless.db"}).value();
    REQUIRE(careless.execute("PRAGMA synchronous=OFF").has_value());
    const flush_watch over(where.path());

    REQUIRE(careless.execute("CREATE TABLE forgotten(a)").has_value());
    CHECK(over.endangered().contains("careless.db"));

    sync_watch_begin(std::filesystem::canonical(where.path()).c_str());
    REQUIRE(stored->apply({{.id = "a", .value = "b"}}, agent::journal::durability::written));
    CHECK(over.endangered().contains("journal"));
    REQUIRE(stored->put("c", "d").has_value());
    CHECK(over.endangered().empty());
}

TEST_CASE("the agent's journal answers when its record is on disk, also when it is written anew") {
    const harness::temporary_directory where("durability");
    const auto stored = agent::journal::open(where.path() / "journal").value();
    flush_watch over(where.path());
    const std::string large(20'000, 'x');
    std::size_t shrank = 0;

    for (int round = 0; round < 40; ++round) {
        const auto before = stored->file_bytes();
        REQUIRE(stored->put("the same", large + std::to_string(round)).has_value());
        CHECK(over.was_busy());
        CHECK(over.endangered() == "");
        shrank += stored->file_bytes() < before ? 1 : 0;
    }
    REQUIRE(stored->erase("the same").has_value());

    CHECK(over.endangered() == "");
    CHECK(shrank > 0);
}

TEST_CASE("the embedded metastore answers when the change is on disk, also at a checkpoint") {
    const harness::temporary_directory where("durability");
    const auto store = sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    flush_watch over(where.path());

    for (int round = 0; round < 100; ++round) {
        kv::transaction change;
        change.then.emplace_back(
            kv::put{.key = "zones/" + std::to_string(round), .value = std::string(200'000, 'z')});
        REQUIRE(run_sync(store->commit(std::move(change))).value().committed);
        CHECK(over.was_busy());
        CHECK(over.endangered() == "");
    }
    const auto lease = run_sync(store->grant(60s)).value();
    CHECK(over.endangered() == "");
    CHECK(run_sync(store->revoke(lease)).has_value());

    CHECK(over.endangered() == "");
    CHECK(std::filesystem::file_size(where.path() / "metastore.db") > 4'000'000);
}

TEST_CASE("the embedded ledger answers when the rows are on disk, also at a checkpoint") {
    const harness::temporary_directory where("durability");
    const auto records = ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    flush_watch over(where.path());
    REQUIRE(run_sync(records->migrate(contract::scenario_schema())).has_value());
    CHECK(over.was_busy());
    CHECK(over.endangered() == "");

    for (int round = 0; round < 60; ++round) {
        std::vector<table::row> rows;
        for (int row = 0; row < 400; ++row)
            rows.push_back(contract::machine(std::to_string(round) + "/" + std::to_string(row), 1));
        auto batch = contract::one_write("machines", std::move(rows));
        REQUIRE(run_sync(records->write(std::move(batch))).has_value());
        CHECK(over.was_busy());
        CHECK(over.endangered() == "");
    }
}

// A machine without facts and packages, whose task manager must not find anything wrong.
struct plain_machine final : agent::machine_inventory, agent::task_manager_listener {
    facts none;

    const facts& present_facts() const override { return none; }
    void refresh_packages(session::task_name /*task*/) override { FAIL("no task asks for this"); }
    void packages_changed() override { FAIL("no task does this"); }
    void restart_needed() override { FAIL("no task does this"); }
    void task_problem(const std::string& sentence) override { FAIL(sentence); }
};

// An agent's tasks on its real journal, with a node that sees each frame as it leaves.
struct agent_at_work {
    boost::asio::io_context loop;
    harness::temporary_directory where{"durability"};
    runtime::system_clock clock;
    std::unique_ptr<agent::journal> kept = agent::journal::open(where.path() / "journal").value();
    agent::payload_store payloads =
        agent::payload_store::open(where.path() / "payloads", {}).value();
    plain_machine machine;
    agent::task_manager tasks{
        {.tasks = {}, .run = {}, .load = {}, .list = where.path() / "tasks.json"},
        {.journal = *kept,
         .payloads = payloads,
         .inventory = machine,
         .clock = clock,
         .loop = loop.get_executor()},
        machine};
    runtime::task_group group{
        loop.get_executor(), [](const std::string& task, const std::exception_ptr& /*failure*/) {
            FAIL(task);
        }};

    agent_at_work() {
        group.spawn("tasks", tasks.run());
        loop.poll();
    }
    agent_at_work(const agent_at_work&) = delete;
    agent_at_work& operator=(const agent_at_work&) = delete;
    ~agent_at_work() {
        group.cancel();
        loop.restart();
        while (group.size() > 0) loop.run_one_for(100ms);
    }
};

// What the agent would find in its journal after a power failure at this very moment.
std::vector<session::journaled_task> left_after_power_failure(
    const std::filesystem::path& directory) {
    const auto file = std::filesystem::canonical(directory) / "journal";
    const auto size = sync_watch_flushed_bytes(file.c_str());
    if (size < 0) return {};
    auto content = os::load_file(file).value();
    content.resize(static_cast<std::size_t>(size));
    const harness::temporary_directory after("durability");
    REQUIRE(os::save_file({.file = after.path() / "journal", .text = content}).has_value());
    return agent::read_tasks(*agent::journal::open(after.path()).value()).tasks;
}

// Looks at the disk whenever a frame leaves.
struct looking_node final : agent::node_sender {
    std::filesystem::path directory;
    int held = 0;
    int reported = 0;

    explicit looking_node(std::filesystem::path journal) : directory(std::move(journal)) {}

    void send(const agent_protocol::Frame& frame) override {
        const auto left = left_after_power_failure(directory);
        if (frame.has_tasks_held() && frame.tasks_held().held_size() > 0) {
            ++held;
            CHECK(left.size() == 1);
        }
        if (frame.has_reports()) {
            ++reported;
            REQUIRE(left.size() == 1);
            CHECK(left.front().state == session::journaled_task::journal_state::reported);
        }
    }
    bool send_bulk(const agent_protocol::Frame& /*frame*/) override { return true; }
    bool send_output(const agent_protocol::Frame& /*frame*/) override { return true; }
};

TEST_CASE("an agent tells its node of a task, and of its end, when its journal has them on disk") {
    agent_at_work here;
    const auto directory = here.where.path() / "journal";
    const flush_watch over(directory);
    const auto node = std::make_shared<looking_node>(directory);
    here.tasks.attached(node);
    agent_protocol::Frame request;
    request.mutable_task()->set_job(1);
    request.mutable_task()->set_attempt(1);
    request.mutable_task()->set_function("cmd.run");  // what changes nothing is not worth a flush
    request.mutable_task()->set_arguments(R"({"cmd": "true"})");
    request.mutable_task()->set_timeout_ms(10'000);

    REQUIRE(here.tasks.handle(request));
    here.tasks.read_done();
    const instant end = here.clock.now() + 20s;
    while (node->reported == 0 && here.clock.now() < end) here.loop.run_one_for(20ms);

    CHECK(node->held == 1);
    CHECK(node->reported == 1);
}

}  // namespace
}  // namespace muster
