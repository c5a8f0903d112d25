#include "roles/node/connections/facts_document.h"
#include "services/fleet/fleet_tables.h"
#include "tests/fixtures/node/node_fixture.h"
#include "tests/harness/forwarding_ledger.h"
#include "tests/harness/until.h"

#include <doctest/doctest.h>

#include <set>
#include <utility>

namespace muster::node::test {
namespace {

Frame facts_frame(
    const facts& collected,
    const facts_difference& facts_difference,
    bool whole,
    std::string base) {
    Frame frame;
    auto& out = *frame.mutable_facts();
    out.set_whole(whole);
    out.set_base_digest(std::move(base));
    out.set_digest(pki::sha256(canonical_form(collected)));
    for (const auto& [path, value] : facts_difference.set) (*out.mutable_set())[path] = value;
    for (const auto& path : facts_difference.removed) out.add_removed(path);
    return frame;
}

async<void> tell_facts(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(fixture, &web));
    const facts first{{"cpu.count", "4"}, {"load", "1.50"}, {"os.name", "\"Debian, \\\"12\\\"\""}};
    CO_CHECK_OK(co_await web.send(facts_frame(first, {first, {}}, true, {})));
    CO_TRY(const auto reserved, co_await web.receive());
    CHECK(reserved.facts_taken().digest() == pki::sha256(canonical_form(first)));

    facts second = first;
    second["cpu.count"] = "8";
    second.erase("load");
    const auto change = difference(first, second);
    const auto base = pki::sha256(canonical_form(first));
    CO_CHECK_OK(co_await web.send(facts_frame(second, change, false, base)));
    CO_TRY(const auto merged, co_await web.receive());
    CHECK(merged.facts_taken().digest() == pki::sha256(canonical_form(second)));
    CHECK_FALSE(merged.facts_taken().wanted());

    CO_CHECK_OK(co_await web.send(facts_frame(first, change, false, "not the base")));
    CO_TRY(const auto desired, co_await web.receive());
    CHECK(desired.facts_taken().wanted());

    table::query question{.table = std::string(fleet::facts_table)};
    CO_TRY(const auto page, co_await fixture->ledger->read(question));
    REQUIRE(page.rows.size() == 1);
    CO_TRY(const auto row, fleet::decode_facts(page.rows.front()));
    CHECK(parse_document(row.document).value() == second);
    co_return result<void>();
}

async<void> attach_with_another_digest(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await web.connect(&fixture->clock, fixture->destination()));
    CO_CHECK_OK(co_await web.hello("the digest of facts that the ledger lost"));
    CO_TRY(const auto welcome, co_await web.receive());
    CHECK(welcome.has_welcome());
    CO_TRY(const auto request, co_await web.receive());
    CHECK(request.facts_taken().wanted());
    co_return result<void>();
}

// The ledger, and what happens just before something is written to it.
class late_ledger final : public harness::forwarding_ledger {
public:
    using forwarding_ledger::forwarding_ledger;

    std::function<async<void>()> before_write;

    async<table::summary> write(table::batch change) override {
        if (const auto first = std::exchange(before_write, nullptr)) {
            CO_CHECK_OK(co_await first());
        }
        co_return co_await forwarding_ledger::write(std::move(change));
    }
};

// A keeper by itself, whose channels and lease are what the test says.
struct archive final : facts_connections {
    harness::temporary_directory home{"facts-keeper"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> real = ledger_sqlite::open({.file = home.path() / "ledger.db"}).value();
    late_ledger records{*real};
    agent_connection_counters counted;
    std::set<std::uint64_t> standing{1, 2};  // channels
    int fenced_looks = 0;                    // so often the lease will not be sure
    std::vector<std::string> answers;
    facts_writer keeper{
        {.ledger = records, .clock = clock, .log = log, .counters = counted, .channels = *this},
        {.gather_time = 1ms}};

    bool is_current(connection_id channel, const fingerprint& /*print*/) override {
        return standing.contains(channel.number);
    }
    bool is_fenced() override { return fenced_looks-- > 0; }
    void respond(connection_id /*channel*/, const std::string& digest) override {
        answers.push_back(digest);
    }

    void submit(std::uint64_t over, const agent& agent, const facts& collected) {
        const auto frame = facts_frame(collected, {collected, {}}, true, {});
        const facts_writer::connection_id from{.loop = 0, .number = over};
        CHECK(
            keeper.submit(from, agent.print(), frame.facts())
            == facts_writer::submit_result::accepted);
    }
    async<std::vector<fleet::stored_facts>> rows() {
        CO_TRY(const auto page, co_await real->read({.table = std::string(fleet::facts_table)}));
        std::vector<fleet::stored_facts> read;
        for (const auto& item : page.rows) {
            CO_TRY(auto row, fleet::decode_facts(item));
            read.push_back(std::move(row));
        }
        co_return read;
    }
};

asio::awaitable<void> beside_keeper(archive* setup, async<void> scenario) {
    runtime::task_group tasks(
        co_await asio::this_coro::executor,
        [](const std::string& task, std::exception_ptr) { FAIL("a task failed: " << task); });
    CHECK((co_await setup->real->migrate(schema::ledger_schema())).has_value());
    tasks.spawn("facts", setup->keeper.run());
    const auto end = co_await std::move(scenario);
    CHECK(end.has_value());
    tasks.cancel();
    co_await tasks.join();
}

async<void> tell_and_leave(archive* setup) {
    const agent gone('g');
    const agent sender('h');
    setup->standing = {2};
    setup->submit(1, gone, {{"old", "1"}});
    setup->submit(2, sender, {{"new", "1"}});
    co_await harness::until(
        setup->clock, "the other's are taken", [setup] { return !setup->answers.empty(); });
    CO_TRY(const auto rows, co_await setup->rows());
    REQUIRE(rows.size() == 1);
    CHECK(rows.front().print == sender.print());
    CHECK(setup->answers.size() == 1);
    co_return result<void>();
}

async<void> expect_lease(archive* setup) {
    CHECK(setup->fenced_looks < 0);
    co_return result<void>();
}

async<void> tell_without_lease(archive* setup) {
    const agent web('a');
    setup->fenced_looks = 1;
    setup->records.before_write = [setup] {
        return expect_lease(setup);
    };
    setup->submit(1, web, {{"new", "1"}});
    co_await harness::until(
        setup->clock, "they are taken", [setup] { return !setup->answers.empty(); });
    CHECK_FALSE(setup->records.before_write);
    co_return result<void>();
}

async<void> tell_elsewhere(archive* setup, fingerprint print) {
    setup->standing = {2};
    const fleet::stored_facts stored_facts{
        .print = print,
        .document = R"({"new":2})",
        .digest = "new",
        .changed = setup->clock.wall() + 1s};
    table::batch theirs;
    theirs.writes.push_back(
        {.table = std::string(fleet::facts_table),
         .rows = {fleet::encode_facts(stored_facts)},
         .existing = table::replace_if_grows{"changed"}});
    CO_TRY(const auto done, co_await setup->real->write(std::move(theirs)));
    CHECK(done.changed == 1);
    co_return result<void>();
}

// Its agent is elsewhere and has told other facts there when our write, long under way, arrives.
async<void> arrive_late(archive* setup) {
    const agent web('a');
    const agent other('b');
    setup->records.before_write = [setup, print = web.print()] {
        return tell_elsewhere(setup, print);
    };
    setup->submit(1, web, {{"old", "1"}});
    setup->submit(2, other, {{"any", "1"}});
    co_await harness::until(
        setup->clock, "the other's are taken", [setup] { return !setup->answers.empty(); });
    CO_TRY(const auto rows, co_await setup->rows());
    CHECK(rows.size() == 2);
    for (const auto& row : rows) CHECK((row.print == other.print() || row.digest == "new"));
    CHECK(setup->answers.size() == 1);
    co_return result<void>();
}

void play_archive(async<void> (*scenario)(archive*)) {
    archive setup;
    harness::real_event_loop world;
    world.run(beside_keeper(&setup, scenario(&setup)));
}

}  // namespace

TEST_CASE("facts that wait are dropped when their agent is not on this channel any more") {
    play_archive(tell_and_leave);
}

TEST_CASE("a node whose lease is not sure writes no facts until it is") {
    play_archive(tell_without_lease);
}

TEST_CASE("facts whose write arrives late do not undo those that were told elsewhere meanwhile") {
    play_archive(arrive_late);
}

TEST_CASE("facts are brought on record whole and as differences, in their agent's own words") {
    node_fixture fixture;
    play(fixture, [&fixture] { return tell_facts(&fixture); });
}

TEST_CASE("an agent whose facts are not on record is asked for all of them") {
    node_fixture fixture;
    play(fixture, [&fixture] { return attach_with_another_digest(&fixture); });
}

}  // namespace muster::node::test
