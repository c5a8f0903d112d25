#include "sim/engines/journal.h"

#include "sim/cluster.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::sim {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// What the outside knows: how many records were begun, and how many acknowledged.
struct oracle {
    int begun = 0;
    int acknowledged = 0;
    int recoveries = 0;
};

std::string record(int number) {
    return std::to_string(number) + std::string(static_cast<std::size_t>(number * 37 % 1500), 'r');
}

// Reads what is there, checks it against what was promised, and writes on for ever.
asio::awaitable<void> write_for_ever(process& self, oracle& knows) {
    journal journal(self.where(), self.storage());
    const auto match = co_await journal.open();
    REQUIRE(match.has_value());
    ++knows.recoveries;
    const int checkpointed = match->checkpoint ? std::stoi(*match->checkpoint) : 0;
    int last = checkpointed;
    for (const auto& each : match->records) {
        CHECK(each == record(++last));
    }
    CHECK(last >= knows.acknowledged);
    CHECK(last <= knows.begun);
    knows.begun = last;
    while (true) {
        const int next = ++knows.begun;
        const auto written = co_await journal.append(record(next));
        REQUIRE(written.has_value());
        knows.acknowledged = next;
        if (next % 20 == 0) {
            const auto reserved = co_await journal.checkpoint(std::to_string(next));
            REQUIRE(reserved.has_value());
        }
    }
}

TEST_CASE("what the journal acknowledged is there after every loss of power, in order and whole") {
    probes reached;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        cluster stage(seed, {});
        REQUIRE(stage.world.faults.arm("disk_power_loss", {.armed = 1, .fires = 0.05}).has_value());
        REQUIRE(
            stage.world.faults.arm("disk_read_corrupt", {.armed = 1, .fires = 0.2}).has_value());
        oracle knows;
        process& db1 = stage.add({.name = "db1", .clock = {}, .disk = {}}, [&knows](process& self) {
            self.spawn("write", write_for_ever(self, knows));
        });

        db1.start();
        stage.world.run_until(instant{} + 30s);

        CHECK(stage.world.violations().empty());
        CHECK(knows.recoveries > 5);
        CHECK(knows.acknowledged > 50);
        reached.add(stage.world.probes);
    }
    CHECK(reached.count(probe::journal_tail_torn) > 0);
    CHECK(reached.count(probe::crash_tore_write) > 0);
    CHECK(reached.count(probe::journal_checkpoint) > 0);
}

}  // namespace
}  // namespace muster::sim
