#include "sim/disk.h"

#include "sim/cluster.h"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>

namespace muster::sim {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// One machine whose program is given as a coroutine, run until nothing is left to do.
class machine {
public:
    explicit machine(std::uint64_t seed, disk_options options = {}) : cluster_(seed, {}) {
        cluster_.add({.name = "db1", .clock = {}, .disk = options}, {}).start();
    }

    void run(asio::awaitable<void> program) { run(std::move(program), {}); }
    // The other one begins while the first sync of the program is under way.
    void run(asio::awaitable<void> program, std::optional<asio::awaitable<void>> other) {
        host().spawn("program", std::move(program));
        cluster_.simulation.run_until(cluster_.simulation.now() + 100us);
        if (other) host().spawn("other program", *std::move(other));
        cluster_.simulation.run_until(cluster_.simulation.now() + 1min);
        REQUIRE(cluster_.simulation.violations().empty());
    }
    void power_loss() {
        host().crash();
        host().start();
    }
    process& host() { return cluster_.at("db1"); }
    disk& files() { return host().storage(); }
    sim::simulation& simulation() { return cluster_.simulation; }

private:
    cluster cluster_;
};

asio::awaitable<void> write_and_sync(disk& files, std::string name, std::string bytes) {
    CHECK((co_await files.append(name, bytes)).has_value());
    CHECK((co_await files.sync(name)).has_value());
}

asio::awaitable<void> write_for_good(disk& files, std::string name, std::string bytes) {
    co_await write_and_sync(files, std::move(name), std::move(bytes));
    CHECK((co_await files.sync_directory()).has_value());
}

asio::awaitable<void> write_only(disk& files, std::string name, std::string bytes) {
    CHECK((co_await files.append(name, bytes)).has_value());
}

asio::awaitable<void> read_into(disk& files, std::string name, std::string& content) {
    auto match = co_await files.read(name);
    content = match ? *match : "(" + to_string(match.error()) + ")";
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
        db1.run(write_for_good(db1.files(), "log", first));
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

TEST_CASE("a sync keeps what was written before it began, not what was written while it ran") {
    std::set<std::string> endings;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        machine db1(seed);
        db1.run(write_for_good(db1.files(), "log", "one "));
        db1.run(
            write_and_sync(db1.files(), "log", "two "), write_only(db1.files(), "log", "three "));
        CHECK(content_of(db1, "log") == "one two three ");

        db1.power_loss();

        const std::string left = content_of(db1, "log");
        CHECK(left.starts_with("one two "));
        endings.insert(left);
    }
    CHECK(endings.contains("one two "));
    CHECK(endings.contains("one two three "));
}

TEST_CASE("of two syncs at the same time the slower takes nothing back") {
    const std::string second(2000, '2');
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        machine db1(seed);
        db1.run(write_for_good(db1.files(), "log", "one "));
        db1.run(
            write_and_sync(db1.files(), "log", "two "), write_and_sync(db1.files(), "log", second));

        db1.power_loss();

        CHECK(content_of(db1, "log") == "one two " + second);
    }
}

asio::awaitable<void> shorten(disk& files, std::size_t size_bytes) {
    CHECK((co_await files.truncate("log", size_bytes)).has_value());
}

TEST_CASE("a file cut short and not synced is as it was, as it is, or in between") {
    const std::string whole(3000, 'a');
    std::set<std::size_t> sizes;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        machine db1(seed);
        db1.run(write_for_good(db1.files(), "log", whole));
        db1.run(write_only(db1.files(), "log", whole));
        db1.run(shorten(db1.files(), 100));

        db1.power_loss();

        const std::string left = content_of(db1, "log");
        CHECK(left.starts_with(whole.substr(0, 100)));
        CHECK(left.size() <= whole.size());
        sizes.insert(left.size());
    }
    CHECK(sizes.contains(100));
    CHECK(sizes.contains(3000));
    CHECK(sizes.size() > 5);
}

TEST_CASE("a sync that lies loses what it promised to keep") {
    bool lost = false;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        machine db1(seed);
        REQUIRE(
            db1.simulation().faults.arm("disk_fsync_lies", {.armed = 1, .fires = 1}).has_value());
        db1.run(write_for_good(db1.files(), "log", "acknowledged"));
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
        hasty.run(write_for_good(hasty.files(), "current", "one"));
        hasty.run(replace(hasty.files(), false));
        hasty.power_loss();
        endings.insert(content_of(hasty, "current"));

        machine careful(seed);
        careful.run(write_for_good(careful.files(), "current", "one"));
        careful.run(replace(careful.files(), true));
        careful.power_loss();
        CHECK(content_of(careful, "current") == "two");
    }
    CHECK(endings == std::set<std::string>{"one", "two"});
}

TEST_CASE("a new file may be gone after a crash until its directory is synced") {
    const std::string gone = "(not found: log)";
    std::set<std::string> endings;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        machine hasty(seed);
        hasty.run(write_and_sync(hasty.files(), "log", "synced"));
        hasty.power_loss();
        endings.insert(content_of(hasty, "log"));

        machine careful(seed);
        careful.run(write_for_good(careful.files(), "log", "synced"));
        careful.power_loss();
        CHECK(content_of(careful, "log") == "synced");
    }
    CHECK(endings == std::set<std::string>{gone, "synced"});
}

asio::awaitable<void> sync_directory(disk& files) {
    CHECK((co_await files.sync_directory()).has_value());
}

TEST_CASE("a directory is kept as it was when its sync began") {
    std::set<bool> endings;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        machine db1(seed);
        db1.run(write_only(db1.files(), "old", "1"));
        db1.run(sync_directory(db1.files()), write_only(db1.files(), "new", "2"));

        db1.power_loss();

        CHECK(db1.files().exists("old"));
        endings.insert(db1.files().exists("new"));
    }
    CHECK(endings == std::set{false, true});
}

asio::awaitable<void> make_and_rename(disk& files, std::string from, std::string to) {
    CHECK((co_await files.append(from, to)).has_value());
    CHECK((co_await files.rename(from, to)).has_value());
}

TEST_CASE("of unsynced changes to a directory a later one may last and an earlier one not") {
    std::set<std::set<std::string>> endings;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        machine db1(seed);
        db1.run(make_and_rename(db1.files(), "a", "b"));
        db1.run(make_and_rename(db1.files(), "c", "d"));

        db1.power_loss();

        std::set<std::string> left;
        for (const std::string name : {"a", "b", "c", "d"}) {
            if (db1.files().exists(name)) left.insert(name);
        }
        endings.insert(left);
    }
    const std::set<std::set<std::string>> possible{
        {}, {"a"}, {"b"}, {"c"}, {"d"}, {"a", "c"}, {"a", "d"}, {"b", "c"}, {"b", "d"}};
    CHECK(endings == possible);
}

TEST_CASE("a read is corrupted only when that fault is armed") {
    machine db1(3);
    db1.run(write_and_sync(db1.files(), "log", "sound"));
    CHECK(content_of(db1, "log") == "sound");

    REQUIRE(db1.simulation().faults.arm("disk_read_corrupt", {.armed = 1, .fires = 1}).has_value());
    CHECK(content_of(db1, "log") != "sound");
}

}  // namespace
}  // namespace muster::sim
