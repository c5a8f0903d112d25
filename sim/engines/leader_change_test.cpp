#include "sim/cluster.h"
#include "sim/engines/metastore.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace muster::sim {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr int writers = 20;

// The error each writer got, by key; nullopt: success.
using outcome_map = std::map<std::string, std::optional<errc>>;

asio::awaitable<void> write(
    std::shared_ptr<muster::metastore> metastore, std::string key, outcome_map& outcomes) {
    kv::transaction change{.when = {}, .then = {kv::put{key, "v"}}};
    const auto answer = co_await metastore->commit(std::move(change));
    outcomes[key] = answer ? std::nullopt : std::optional(answer.error().code());
}

asio::awaitable<void> list(
    std::shared_ptr<muster::metastore> metastore, std::set<std::string>& stored_keys) {
    const auto page = co_await metastore->range({.prefix = "w/"});
    REQUIRE(page.has_value());
    for (const auto& entry : page->entries) stored_keys.insert(entry.key);
}

struct outcome {
    outcome_map outcomes;
    std::set<std::string> stored_keys;
};

// Many write at the same time, and in the midst of it the leader changes.
outcome change_leader_while_writing(std::uint64_t seed) {
    sim::cluster cluster(seed, {});
    process& engine = add_metastore_engine(cluster, "metastore");
    engine.start();
    process& host = cluster.add({.name = "client", .clock = {}, .disk = {}}, {});
    host.start();
    const auto metastore = open_metastore(cluster, host, "metastore");
    outcome observed;
    host.spawn("write", write(metastore, "w/first", observed.outcomes));
    cluster.simulation.run_until(instant{} + 5s);
    for (int i = 0; i < writers; ++i) {
        host.spawn("write", write(metastore, "w/" + std::to_string(i), observed.outcomes));
    }

    cluster.simulation.run_until(cluster.simulation.now() + 3500us);
    engine.ask_to_stop();
    cluster.simulation.run_until(cluster.simulation.now() + 10s);

    host.spawn("list", list(metastore, observed.stored_keys));
    cluster.simulation.run_until(cluster.simulation.now() + 10s);
    CHECK(cluster.simulation.violations().empty());
    return observed;
}

TEST_CASE("what a leader was asked before it gave way is done or not, and nobody is told which") {
    int acknowledged = 0;
    int done_in_silence = 0;
    int lost = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);

        const auto [outcomes, stored_keys] = change_leader_while_writing(seed);

        REQUIRE(outcomes.size() == writers + 1);
        for (const auto& [key, failure] : outcomes) {
            CAPTURE(key);
            const bool done = stored_keys.contains(key);
            if (!failure) {
                CHECK(done);
                ++acknowledged;
                continue;
            }
            CHECK(failure == errc::timed_out);
            ++(done ? done_in_silence : lost);
        }
    }
    CHECK(acknowledged > 40);
    CHECK(done_in_silence > 40);
    CHECK(lost > 40);
}

}  // namespace
}  // namespace muster::sim
