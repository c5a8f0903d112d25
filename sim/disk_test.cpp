#include "sim/disk.h"

#include "sim/cluster.h"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>

namespace muster::sim {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// One machine whose program is given as a coroutine, run until nothing is left to do.
class machine {
public:
    explicit machine(std::uint64_t seed, disk_options options = {}) : stage_(seed, {}) {
        stage_.add({.name = "db1", .clock = {}, .disk = options}, {}).start();
    }

    void run(asio::awaitable<void> program) {
        host().spawn("program", std::move(program));
        stage_.world.run_until(stage_.world.now() + 1min);
        REQUIRE(stage_.world.violations().empty());
    }
    void power_loss() {
        host().crash();
        host().start();
    }
    process& host() { return stage_.at("db1"); }
    disk& files() { return host().storage(); }
    sim::world& where() { return stage_.world; }

private:
    cluster stage_;
};

asio::awaitable<void> write_and_sync(disk& files, std::string name, std::string bytes) {
    CHECK((co_await files.append(name, bytes)).has_value());
    CHECK((co_await files.sync(name)).has_value());
}

asio::awaitable<void> write_only(disk& files, std::string name, std::string bytes) {
    CHECK((co_await files.append(name, bytes)).has_value());
}

asio::awaitable<void> read_into(disk& files, std::string name, std::string& content) {
    auto found = co_await files.read(name);
    content = found ? *found : "(" + to_string(found.error()) + ")";
}

std::string content_of(machine& on, const std::string& name) {
    std::string content;
    on.run(read_into(on.files(), name, content));
    return content;
}

TEST_CASE("what was synced survives every crash, what was not may go wholly or in part") {
    const std::string first(700, 'a');
    const std::string second(3000, 'b');
    std::set<std::string> endings;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        machine db1(seed);
        db1.run(write_and_sync(db1.files(), "log", first));
        db1.run(write_only(db1.files(), "log", second));
        CHECK(content_of(db1, "log") == first + second);

        db1.power_loss();

        const std::string left = content_of(db1, "log");
        CHECK(left.starts_with(first));
        endings.insert(left);
    }
    CHECK(endings.contains(first));
    CHECK(endings.contains(first + second));
    CHECK(endings.size() > 10);  // the rest are torn at sectors
}

TEST_CASE("a sync that lies loses what it promised to keep") {
    bool lost = false;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        machine db1(seed);
        REQUIRE(db1.where().faults.arm("disk_fsync_lies", {.armed = 1, .fires = 1}).has_value());
        db1.run(write_and_sync(db1.files(), "log", "acknowledged"));
        db1.power_loss();
        lost = lost || content_of(db1, "log") != "acknowledged";
    }
    CHECK(lost);
}

asio::awaitable<void> fill(disk& files, errc& failure) {
    while (true) {
        const auto written = co_await files.append("log", std::string(100, 'x'));
        if (written) continue;
        failure = written.error().code();
        co_return;
    }
}

TEST_CASE("a full disk refuses a write and keeps what it has") {
    machine db1(1, {.capacity_bytes = 1050});
    errc failure = errc::invalid;

    db1.run(fill(db1.files(), failure));

    CHECK(failure == errc::unavailable);
    CHECK(content_of(db1, "log") == std::string(1000, 'x'));
}

asio::awaitable<void> replace(disk& files, bool lasting) {
    CHECK((co_await files.append("new", "two")).has_value());
    CHECK((co_await files.sync("new")).has_value());
    CHECK((co_await files.rename("new", "current")).has_value());
    if (lasting) CHECK((co_await files.sync_directory()).has_value());
}

TEST_CASE("a rename is atomic, and lasts once the directory is synced") {
    std::set<std::string> endings;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        machine hasty(seed);
        hasty.run(write_and_sync(hasty.files(), "current", "one"));
        hasty.run(replace(hasty.files(), false));
        hasty.power_loss();
        endings.insert(content_of(hasty, "current"));

        machine careful(seed);
        careful.run(write_and_sync(careful.files(), "current", "one"));
        careful.run(replace(careful.files(), true));
        careful.power_loss();
        CHECK(content_of(careful, "current") == "two");
    }
    CHECK(endings == std::set<std::string>{"one", "two"});
}

TEST_CASE("a read is corrupted only when that fault is armed") {
    machine db1(3);
    db1.run(write_and_sync(db1.files(), "log", "sound"));
    CHECK(content_of(db1, "log") == "sound");

    REQUIRE(db1.where().faults.arm("disk_read_corrupt", {.armed = 1, .fires = 1}).has_value());
    CHECK(content_of(db1, "log") != "sound");
}

}  // namespace
}  // namespace muster::sim
