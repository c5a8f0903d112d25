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
struct journal_oracle {
    int begun = 0;
    int acknowledged = 0;
    int recoveries = 0;
};

std::string record(int number) {
    return std::to_string(number) + std::string(static_cast<std::size_t>(number * 37 % 1500), 'r');
}

// Reads what is there, checks it against what was promised, and writes on for ever.
asio::awaitable<void> write_for_ever(process& self, journal_oracle& oracle) {
    journal journal(self.simulation(), self.storage());
    const auto contents = co_await journal.open();
    REQUIRE(contents.has_value());
    ++oracle.recoveries;
    const int checkpointed = contents->checkpoint ? std::stoi(*contents->checkpoint) : 0;
    int last = checkpointed;
    for (const auto& stored : contents->records) {
        CHECK(stored == record(++last));
    }
    CHECK(last >= oracle.acknowledged);
    CHECK(last <= oracle.begun);
    oracle.begun = last;
    while (true) {
        const int next = ++oracle.begun;
        const auto written = co_await journal.append(record(next));
        REQUIRE(written.has_value());
        oracle.acknowledged = next;
        if (next % 20 == 0) {
            const auto saved = co_await journal.checkpoint(std::to_string(next));
            REQUIRE(saved.has_value());
        }
    }
}

TEST_CASE("what the journal acknowledged is there after every loss of power, in order and whole") {
    probes reached;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        sim::cluster cluster(seed, {});
        REQUIRE(cluster.simulation.faults.arm("disk_power_loss", {.armed = 1, .fires = 0.05})
                    .has_value());
        REQUIRE(cluster.simulation.faults.arm("disk_read_corrupt", {.armed = 1, .fires = 0.2})
                    .has_value());
        journal_oracle oracle;
        process& db1 = cluster.add(
            {.name = "db1", .clock = {}, .disk = {}},
            [&oracle](process& self) { self.spawn("write", write_for_ever(self, oracle)); });

        db1.start();
        cluster.simulation.run_until(instant{} + 30s);

        CHECK(cluster.simulation.violations().empty());
        CHECK(oracle.recoveries > 5);
        CHECK(oracle.acknowledged > 50);
        reached.add(cluster.simulation.probes);
    }
    CHECK(reached.count(probe::journal_tail_torn) > 0);
    CHECK(reached.count(probe::crash_tore_write) > 0);
    CHECK(reached.count(probe::journal_checkpoint) > 0);
}

}  // namespace
}  // namespace muster::sim
