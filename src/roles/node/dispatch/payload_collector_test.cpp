#include "roles/node/dispatch/payload_collector.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/pki/fingerprint.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "services/jobs/job_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <zstd.h>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using muster::agent_protocol::Frame;

const job_id job = job_id_at(wall_time(std::chrono::hours(500'000)));

std::string packed(const std::string& text) {
    std::string frame(ZSTD_compressBound(text.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 3));
    return frame;
}

std::string output_of(unsigned number) {
    return std::to_string(number) + std::string(1'000, 'x');
}

// A keeper with a real ledger, and agents that the test speaks for.
struct fixture final : connection_sender {
    boost::asio::io_context loop;  // outlives the ledger, whose threads answer to it
    harness::temporary_directory where{"payloads"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records;
    jobs::job_store jobs;
    std::vector<std::pair<unsigned, Frame>> sent;
    agent_outbox outbox{*this};
    payload_collector keeper;
    runtime::task_group tasks;

    explicit fixture(payload_collector::options options = {})
        : records(ledger_sqlite::open({.file = where.path() / "ledger.db"}).value()),
          jobs(*records, clock),
          keeper({.jobs = jobs, .clock = clock, .log = log, .outbox = outbox}, options),
          tasks(loop.get_executor(), [](const std::string&, std::exception_ptr) {}) {
        REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    ~fixture() override {
        tasks.cancel();
        loop.restart();
        loop.poll();
        while (tasks.size() > 0) loop.run_one();
    }

    void send(std::vector<outgoing> frames) override {
        for (auto& frame : frames)
            sent.emplace_back(static_cast<unsigned>(frame.to.number), std::move(frame.frame));
    }

    void start() { tasks.spawn("payloads", keeper.run()); }

    void until(const std::function<bool()>& holds) {
        const instant end = clock.now() + 20s;
        while (!holds() && clock.now() < end) {
            loop.restart();
            loop.run_one_for(20ms);
        }
        REQUIRE(holds());
    }

    static task_record row(unsigned system, const std::string& text) {
        const auto now = created_at(job);
        return {
            .job = job,
            .system = system,
            .state = task_state::failed,
            .picked_up = now,
            .ended = now,
            .reason = "exit code 1",
            .digest = pki::sha256(text),
            .payload_size = static_cast<std::int64_t>(text.size())};
    }

    // Its task is on record, and its agent has the payload.
    void offer(unsigned system, const std::string& text) {
        table::batch batch;
        batch.writes.push_back(
            {.table = std::string(jobs::tasks_table),
             .rows = {jobs::encode_task(row(system, text))},
             .existing = table::replace_if_grows{"rank"}});
        REQUIRE(run_sync(records->write(std::move(batch))).has_value());
        outbox.attach(system_number(system), {.loop = 0, .number = system});
        keeper.offer(row(system, text));
    }

    void answer(unsigned system, const std::string& content, bool missing = false) {
        muster::agent_protocol::PayloadPart part;
        part.mutable_task()->set_job(job.value());
        part.mutable_task()->set_attempt(1);
        part.set_content(content);
        part.set_last(true);
        part.set_missing(missing);
        keeper.add_part(system_number(system), part);
        outbox.flush();
    }

    std::vector<unsigned> told(Frame::KindCase kind) const {
        std::vector<unsigned> systems;
        for (const auto& [system, frame] : sent)
            if (frame.kind_case() == kind) systems.push_back(system);
        return systems;
    }
    std::vector<unsigned> asked() const { return told(Frame::kPayloadWanted); }
    std::vector<unsigned> freed() const { return told(Frame::kPayloadTaken); }

    task_record task(unsigned system) {
        return run_sync(jobs.find_task(job, system)).value().value().record;
    }
    bool on_record(const std::string& text) {
        return run_sync(jobs.find_payload(job, pki::sha256(text))).value().has_value();
    }
};

TEST_CASE("of many payloads some are fetched at once, the others in turn, and all come on record") {
    fixture setup({.fetches_max = 2});
    constexpr unsigned count = 7;
    for (unsigned n = 1; n <= count; ++n) setup.offer(n, output_of(n));
    CHECK(setup.keeper.waiting() == count);
    setup.start();

    for (unsigned answered = 0; answered < count; ++answered) {
        setup.until([&] { return setup.asked().size() > answered; });
        CHECK(setup.asked().size() <= answered + 2);
        const auto next = setup.asked()[answered];
        setup.answer(next, packed(output_of(next)));
        setup.until([&] { return setup.freed().size() == answered + 1; });
    }

    CHECK(setup.keeper.stored() == count);
    CHECK(setup.keeper.waiting() == 0);
    for (unsigned n = 1; n <= count; ++n) CHECK(setup.on_record(output_of(n)));
}

TEST_CASE("what is offered is kept in mind once, and not beyond a limit") {
    fixture setup({.waiting_max = 3});
    for (const unsigned n : {1U, 1U, 2U, 3U, 4U, 5U}) setup.offer(n, output_of(n));
    CHECK(setup.keeper.waiting() == 3);
    CHECK(setup.keeper.deferred() == 2);
    setup.start();

    // Also not by many who have the same.
    setup.until([&] { return setup.asked().size() == 3; });
    setup.offer(6, output_of(1));
    CHECK(setup.keeper.waiting() == 3);
    for (const unsigned n : {1U, 2U, 3U}) setup.answer(n, packed(output_of(n)));
    setup.until([&] { return setup.keeper.waiting() == 0; });

    setup.offer(4, output_of(4));
    setup.until([&] { return setup.asked().size() == 4; });
}

TEST_CASE("a payload that is not what it was said to be is lost, and its task says so first") {
    fixture setup;
    setup.offer(1, output_of(1));
    setup.start();
    setup.until([&] { return setup.asked().size() == 1; });

    setup.answer(1, packed("something else"));
    CHECK(setup.freed().empty());
    setup.until([&] { return setup.freed().size() == 1; });

    const auto row = setup.task(1);
    CHECK(row.state == task_state::failed);
    CHECK(row.digest.empty());
    CHECK(row.payload_size == 0);
    CHECK(row.truncated);
    CHECK(row.reason == "exit code 1; output lost: payload does not match its digest");
    CHECK(setup.keeper.lost() == 1);
    CHECK(setup.keeper.waiting() == 0);
}

TEST_CASE("what one agent has lost another one gives, and nothing is lost") {
    fixture setup;
    setup.offer(1, output_of(1));
    setup.offer(2, output_of(1));
    setup.start();
    setup.until([&] { return setup.asked().size() == 1; });

    const auto first = setup.asked().front();
    setup.answer(first, "", true);
    setup.until([&] { return setup.asked().size() == 2; });
    CHECK(setup.asked().back() == 3 - first);
    setup.answer(3 - first, packed(output_of(1)));
    setup.until([&] { return setup.freed().size() == 2; });

    CHECK(setup.keeper.lost() == 0);
    CHECK(setup.on_record(output_of(1)));
    CHECK(setup.task(first).digest == pki::sha256(output_of(1)));
}

TEST_CASE("an agent that gave its payload to another node has lost nothing") {
    fixture setup;
    setup.offer(1, output_of(1));
    setup.start();
    setup.until([&] { return setup.asked().size() == 1; });
    table::batch elsewhere{
        .writes = jobs::payload_writes(
            job,
            {.digest = pki::sha256(output_of(1)),
             .size = static_cast<std::int64_t>(output_of(1).size()),
             .content = packed(output_of(1))}),
        .erasures = {}};
    REQUIRE(run_sync(setup.records->write(std::move(elsewhere))).has_value());

    setup.answer(1, "", true);
    setup.until([&] { return setup.freed().size() == 1; });

    CHECK(setup.task(1).digest == pki::sha256(output_of(1)));
    CHECK_FALSE(setup.task(1).truncated);
}

TEST_CASE("who says nothing is given up, and is asked when it offers it again") {
    fixture setup({.piece_time = 1ms});
    setup.offer(1, output_of(1));
    setup.start();
    setup.until([&] { return setup.asked().size() == 1 && setup.keeper.waiting() == 0; });
    CHECK(setup.freed().empty());
    CHECK(setup.task(1).digest == pki::sha256(output_of(1)));

    setup.offer(1, output_of(1));

    setup.until([&] { return setup.asked().size() == 2; });
}

}  // namespace
}  // namespace muster::dispatch
