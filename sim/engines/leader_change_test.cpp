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

// What each writer of a key was told.
using told_map = std::map<std::string, std::optional<errc>>;

asio::awaitable<void> write(
    std::shared_ptr<metastore> through, std::string key, told_map& told_map) {
    kv::transaction change{.when = {}, .then = {kv::put{key, "v"}}};
    const auto answer = co_await through->commit(std::move(change));
    told_map[key] = answer ? std::nullopt : std::optional(answer.error().code());
}

asio::awaitable<void> list(std::shared_ptr<metastore> through, std::set<std::string>& there) {
    const auto page = co_await through->range({.prefix = "w/"});
    REQUIRE(page.has_value());
    for (const auto& entry : page->entries) there.insert(entry.key);
}

struct outcome {
    told_map told;
    std::set<std::string> there;
};

// Many write at the same time, and in the midst of it the leader changes.
outcome change_leader_while_writing(std::uint64_t seed) {
    cluster stage(seed, {});
    process& engine = add_metastore_engine(stage, "metastore");
    engine.start();
    process& host = stage.add({.name = "client", .clock = {}, .disk = {}}, {});
    host.start();
    const auto through = open_metastore(stage, host, "metastore");
    outcome observed;
    host.spawn("write", write(through, "w/first", observed.told));
    stage.world.run_until(instant{} + 5s);
    for (int i = 0; i < writers; ++i) {
        host.spawn("write", write(through, "w/" + std::to_string(i), observed.told));
    }

    stage.world.run_until(stage.world.now() + 3500us);
    engine.ask_to_stop();
    stage.world.run_until(stage.world.now() + 10s);

    host.spawn("list", list(through, observed.there));
    stage.world.run_until(stage.world.now() + 10s);
    CHECK(stage.world.violations().empty());
    return observed;
}

TEST_CASE("what a leader was asked before it gave way is done or not, and nobody is told which") {
    int acknowledged = 0;
    int done_in_silence = 0;
    int lost = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);

        const auto [told, there] = change_leader_while_writing(seed);

        REQUIRE(told.size() == writers + 1);
        for (const auto& [key, failure] : told) {
            CAPTURE(key);
            const bool done = there.contains(key);
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
