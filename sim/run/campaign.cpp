#include "sim/run/campaign.h"

#include "sim/run/duration.h"
#include "sim/run/last_words.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace muster::sim {

namespace {

double seconds(monotonic::duration span) {
    return std::chrono::duration<double>(span).count();
}

// Processor time, not the time of day: it only tells how fast the simulator is.
double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string command_for(const scenario& what, std::uint64_t seed) {
    return fmt::format(
        "muster-sim --scenario {} --seed {} --for {}", what.name, seed, to_string(what.duration));
}

}  // namespace

void campaign::play(const scenario& what) {
    fmt::print("{}: {}\n", what.name, what.what);
    const double began = cpu_seconds();
    const auto simulated_before = simulated_;
    of_scenario_ = {};
    std::atomic<std::uint64_t> next = 0;
    std::vector<std::jthread> players;
    for (std::uint64_t i = 0; i < std::min(options_.jobs, options_.seeds); ++i) {
        players.emplace_back([&] {
            while (true) {
                const std::uint64_t done = next++;
                if (done >= options_.seeds) return;
                play_seed(what, options_.seed + done);
            }
        });
    }
    players.clear();
    const double took = std::max(cpu_seconds() - began, 1e-6);
    const double simulated = seconds(simulated_ - simulated_before);
    fmt::print(
        "  {:.0f} simulated seconds in {:.1f} CPU seconds: {:.0f} a second\n",
        simulated,
        took,
        simulated / took);
    check_reached(what);
}

// Where no run came near a rule, that all runs passed says nothing of it.
void campaign::check_reached(const scenario& what) {
    if (options_.seeds < options_.reaching_seeds_min) return;
    for (const probe each : what.reaches) {
        if (of_scenario_.count(each) > 0) continue;
        ++failed_;
        repeat_ = fmt::format("{} --seeds {}", command_for(what, options_.seed), options_.seeds);
        fmt::print("  FAILED: no seed reached {}\n", to_string(each));
    }
}

void campaign::play_seed(const scenario& what, std::uint64_t seed) {
    const last_words if_it_dies("repeat with: " + command_for(what, seed));
    run_options options{.seed = seed, .duration = what.duration, .print = {}};
    if (options_.trace) {
        options.print = [](const std::string& line) {
            fmt::print("{}\n", line);
        };
    }
    auto outcome = plays_(what, options);
    monotonic::duration simulated = outcome ? outcome->simulated : monotonic::duration();
    if (outcome && is_played_twice(seed)) {
        simulated *= 2;
        const auto again = plays_(what, {.seed = seed, .duration = what.duration, .print = {}});
        if (!again || again->hash != outcome->hash) {
            outcome->passed = false;
            outcome->violations.emplace_back("the same seed gave another run the second time");
        }
    }
    const std::scoped_lock lock(mutex_);
    simulated_ += simulated;
    if (outcome) {
        add(what, seed, *outcome);
    } else {
        fmt::print("  seed {}: {}\n", seed, to_string(outcome.error()));
        ++failed_;
        repeat_ = command_for(what, seed);
    }
}

void campaign::add(const scenario& what, std::uint64_t seed, const run_outcome& outcome) {
    events_ += outcome.events;
    probes_.add(outcome.probes);
    of_scenario_.add(outcome.probes);
    for (const auto& [name, count] : outcome.faults_fired) faults_fired_[name] += count;
    fmt::print(
        "  seed {} hash {:016x} {} ({})\n",
        seed,
        outcome.hash,
        outcome.passed ? "passed" : "FAILED",
        outcome.summary);
    if (outcome.passed) {
        ++passed_;
        return;
    }
    ++failed_;
    for (const auto& each : outcome.violations) fmt::print("    {}\n", each);
    repeat_ = command_for(what, seed);
    fmt::print("    repeat with: {}\n", repeat_);
}

bool campaign::report() const {
    std::string faults;
    for (const auto& [name, count] : faults_fired_) faults += fmt::format(" {} {}x", name, count);
    fmt::print("{} events; faults:{}\n", events_, faults.empty() ? " none" : faults);
    std::string missing;
    for (const auto each : probes_.never_reached()) missing += fmt::format(" {}", to_string(each));
    if (!missing.empty()) fmt::print("never reached:{}\n", missing);
    fmt::print("{} passed, {} failed\n", passed_, failed_);
    if (failed_ > 0) fmt::print("repeat with: {}\n", repeat_);
    return failed_ == 0;
}

}  // namespace muster::sim
