#include "sim/run/crash_reporter.h"

#include "base/assert.h"
#include "sim/run/campaign.h"
#include "sim/simulation.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;

struct ending {
    std::string last_line;  // on standard error
    bool ok = false;
};

[[noreturn]] void play_in_child(int standard_error, const std::function<void()>& program) {
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::dup2(standard_error, STDERR_FILENO);
    for (const int signal : std::to_array({SIGABRT, SIGSEGV})) {
        struct sigaction default_action{};
        default_action.sa_handler = SIG_DFL;
        ::sigaction(signal, &default_action, nullptr);
    }
    crash_reporter::install_handlers();
    program();
    std::_Exit(0);
}

ending ending_of(const std::function<void()>& program) {
    std::array<int, 2> pipe_ends{};
    REQUIRE(::pipe(pipe_ends.data()) == 0);
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) play_in_child(pipe_ends[1], program);
    ::close(pipe_ends[1]);
    std::string message;
    std::array<char, 4096> piece{};
    ssize_t size = 0;
    while ((size = ::read(pipe_ends[0], piece.data(), piece.size())) > 0)
        message.append(piece.data(), static_cast<std::size_t>(size));
    ::close(pipe_ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (message.ends_with('\n')) message.pop_back();
    return {
        .last_line = message.substr(message.rfind('\n') + 1),
        .ok = WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

ending ending_of_campaign(campaign_options options, player run_seed) {
    return ending_of([options, &run_seed] {
        sim::campaign campaign(options, run_seed);
        campaign.play({.name = "patch_night", .duration = 10min});
    });
}

const std::string repeat_seed_3 =
    "repeat with: muster-sim --scenario patch_night --seed 3 --for 10m";

result<run_outcome> passed() {
    run_outcome outcome;
    outcome.passed = true;
    return outcome;
}

TEST_CASE("a broken assertion leaves the command that repeats its seed as the last line") {
    const auto outcome = ending_of_campaign({.seeds = 5}, [](const scenario&, run_options options) {
        MUSTER_ASSERT(options.seed != 3);
        return passed();
    });

    CHECK_FALSE(outcome.ok);
    CHECK(outcome.last_line == repeat_seed_3);
}

TEST_CASE("of many seeds played at the same time the one that dies is named") {
    std::latch all_play(4);
    const auto outcome =
        ending_of_campaign({.seeds = 4, .jobs = 4}, [&](const scenario&, run_options options) {
            all_play.arrive_and_wait();
            MUSTER_ASSERT(options.seed != 3);
            std::latch(1).wait();
            return passed();
        });

    CHECK_FALSE(outcome.ok);
    CHECK(outcome.last_line == repeat_seed_3);
}

TEST_CASE("an exception that nobody catches leaves the command that repeats its seed") {
    const auto outcome = ending_of_campaign({.seeds = 5}, [](const scenario&, run_options options) {
        if (options.seed == 3) throw std::runtime_error("nobody thought of this");
        return passed();
    });

    CHECK_FALSE(outcome.ok);
    CHECK(outcome.last_line == repeat_seed_3);
}

void post_for_ever(sim::simulation& simulation) {
    simulation.post(simulation.kernel(), [&simulation] { post_for_ever(simulation); });
}

TEST_CASE("a world in which time stands still leaves the command that repeats its seed") {
    const auto outcome = ending_of_campaign({.seeds = 5}, [](const scenario&, run_options options) {
        sim::simulation simulation(options.seed);
        if (options.seed == 3) post_for_ever(simulation);
        simulation.run_until(instant{} + 1s);
        return passed();
    });

    CHECK_FALSE(outcome.ok);
    CHECK(outcome.last_line == repeat_seed_3);
}

TEST_CASE("an access to memory that is not there leaves the command that repeats its seed") {
    const auto outcome = ending_of_campaign({.seeds = 5}, [](const scenario&, run_options options) {
        if (options.seed == 3) ::raise(SIGSEGV);
        return passed();
    });

    CHECK_FALSE(outcome.ok);
    CHECK(outcome.last_line == repeat_seed_3);
}

#if __has_feature(address_sanitizer)
TEST_CASE("what a sanitizer finds leaves the command that repeats its seed") {
    const auto outcome = ending_of_campaign({.seeds = 5}, [](const scenario&, run_options options) {
        auto held = std::make_unique<std::uint64_t>(options.seed);
        const std::uint64_t* dangling = held.get();
        if (options.seed == 3) held.reset();
        return *dangling == options.seed ? passed() : fail(errc::corrupt, "");
    });

    CHECK_FALSE(outcome.ok);
    CHECK(outcome.last_line == repeat_seed_3);
}
#endif

TEST_CASE("a program that dies after its runs names none of them") {
    const auto outcome = ending_of([] {
        sim::campaign campaign({.seeds = 5}, [](const scenario&, run_options) { return passed(); });
        campaign.play({.name = "patch_night"});
        std::abort();
    });

    CHECK_FALSE(outcome.ok);
    CHECK(outcome.last_line == "");
}

}  // namespace
}  // namespace muster::sim
