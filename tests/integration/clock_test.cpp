#include "tests/harness/temporary_directory.h"
#include "tests/integration/environment.h"
#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <map>
#include <unistd.h>

// A machine whose clock is wrong, or is set while a server runs (docs/adr/0015).
namespace muster::integration {
namespace {

using namespace std::chrono_literals;

// The wall clock of the programs that are started with it: tests/preload/moved_clock.c.
class machine_clock {
public:
    machine_clock() {
        const int result = ::open(file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        REQUIRE(result >= 0);
        REQUIRE(::ftruncate(result, sizeof(std::int64_t)) == 0);
        void* shared =
            ::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, result, 0);
        ::close(result);
        REQUIRE(shared != MAP_FAILED);
        moved_by_ = static_cast<std::int64_t*>(shared);
    }
    machine_clock(const machine_clock&) = delete;
    machine_clock& operator=(const machine_clock&) = delete;
    ~machine_clock() { ::munmap(moved_by_, sizeof(std::int64_t)); }

    void move_to(std::chrono::seconds from_true_time) const {
        std::atomic_ref(*moved_by_).store(from_true_time.count());
    }
    std::map<std::string, std::string> variables() const {
        return {{"LD_PRELOAD", MOVED_CLOCK_LIBRARY}, {"MUSTER_TEST_CLOCK", file().string()}};
    }

private:
    std::filesystem::path file() const { return home_.path() / "clock"; }

    harness::temporary_directory home_{"clock"};
    std::int64_t* moved_by_ = nullptr;
};

std::map<std::string, std::string> files_of(const std::filesystem::path& directory) {
    std::map<std::string, std::string> matches;
    for (const auto* name :
         {"ca.pem", "ca-key.pem", "server.pem", "server-key.pem", "cluster-id", "first-password"})
        matches[name] = text_of(directory / name);
    return matches;
}

bool has_jumped(const muster_server& server, int times) {
    return server.health("/metrics")
        .output.contains("muster_clock_jumps_total " + std::to_string(times) + "\n");
}

TEST_CASE("a server whose clock is set while it runs says so, goes on, and loses nobody") {
    const machine_clock clock;
    muster_server server;
    {
        const environment with(clock.variables());
        server.start_and_wait_until_ready();
    }
    REQUIRE(server.login().exit_code == 0);
    CHECK(has_jumped(server, 0));

    clock.move_to(-2h);
    harness::eventually("the jump is counted", [&] { return has_jumped(server, 1); });
    CHECK(server.log().contains("wall clock jumped"));
    CHECK(server.log().contains("\"seconds\":-7"));  // about -7200
    // Longer than its lease of two seconds: it is listed on, since leases go by another clock.
    clock.move_to(26h);
    harness::eventually("and the next one", [&] { return has_jumped(server, 2); });
    REQUIRE(server.login().exit_code == 0);  // logins end by the wall clock
    harness::eventually("it works as before", [&] {
        return server.ready() && server.cli({"nodes"}).output.contains("serving");
    });
    CHECK(server.cli({"zones", "add", "munich"}).exit_code == 0);

    CHECK(server.running());
    CHECK(server.stop() == 0);
}

TEST_CASE("a server whose clock is before its cluster's making is refused, and nothing changes") {
    const machine_clock clock;
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.stop() == 0);
    const auto before = files_of(server.data());
    const environment with(clock.variables());

    clock.move_to(-72h);
    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK_MESSAGE(refused.output.contains("is not valid before"), refused.output);
    CHECK(refused.output.contains("check the clock"));
    CHECK_FALSE(refused.output.contains("remove the file"));
    CHECK(files_of(server.data()) == before);
    clock.move_to(-24h * 365 * 30);
    CHECK(server.run_to_end().output.contains("before the release of this version"));
    CHECK(files_of(server.data()) == before);

    clock.move_to(0s);
    server.start_and_wait_until_ready();
    CHECK(server.stop() == 0);
}

TEST_CASE("a first start with a clock from the last century makes nothing") {
    const machine_clock clock;
    muster_server server;
    clock.move_to(-24h * 365 * 30);
    const environment with(clock.variables());

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK(refused.output.contains("set the clock"));
    CHECK_FALSE(std::filesystem::exists(server.data()));
}

}  // namespace
}  // namespace muster::integration
