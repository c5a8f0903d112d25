#include "sim/run/campaign.h"

#include "sim/run/crash_reporter.h"
#include "sim/run/duration.h"

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

std::string command_for(const scenario& scenario, std::uint64_t seed) {
    return fmt::format(
        "muster-sim --scenario {} --seed {} --for {}",
        scenario.name,
        seed,
        to_string(scenario.duration));
}

}  // namespace

void campaign::play(const scenario& scenario) {
    fmt::print("{}: {}\n", scenario.name, scenario.description);
    const double began = cpu_seconds();
    const auto simulated_before = simulated_;
    scenario_probes_ = {};
    std::atomic<std::uint64_t> next = 0;
    std::vector<std::jthread> players;
    for (std::uint64_t i = 0; i < std::min(options_.jobs, options_.seeds); ++i) {
        players.emplace_back([&] {
            while (true) {
                const std::uint64_t index = next++;
                if (index >= options_.seeds) return;
                play_seed(scenario, options_.seed + index);
            }
        });
    }
    players.clear();
    const double took = std::max(cpu_seconds() - began, 1e-6);
    const double simulated = seconds(simulated_ - simulated_before);
    fmt::print(
        "  {:.0f} simulated seconds in {:.1f} CPU seconds: {:.0f} per second\n",
        simulated,
        took,
        simulated / took);
    check_reached(scenario);
}

// If no run reached a probe, passing runs prove nothing about it.
void campaign::check_reached(const scenario& scenario) {
    if (options_.seeds < options_.reaching_seeds_min) return;
    for (const probe probe : scenario.reaches) {
        if (scenario_probes_.count(probe) > 0) continue;
        ++failed_;
        repeat_ =
            fmt::format("{} --seeds {}", command_for(scenario, options_.seed), options_.seeds);
        fmt::print("  FAILED: no seed reached {}\n", to_string(probe));
    }
}

void campaign::play_seed(const scenario& scenario, std::uint64_t seed) {
    const crash_reporter reporter("repeat with: " + command_for(scenario, seed));
    run_options options{.seed = seed, .duration = scenario.duration, .print = {}};
    if (options_.trace) {
        options.print = [](const std::string& line) {
            fmt::print("{}\n", line);
        };
    }
    auto outcome = run_seed_(scenario, options);
    monotonic::duration simulated = outcome ? outcome->simulated : monotonic::duration();
    if (outcome && is_played_twice(seed)) {
        simulated *= 2;
        const auto second_run =
            run_seed_(scenario, {.seed = seed, .duration = scenario.duration, .print = {}});
        if (!second_run || second_run->hash != outcome->hash) {
            outcome->passed = false;
            outcome->violations.emplace_back("second run of the seed has another hash");
        }
    }
    const std::scoped_lock lock(mutex_);
    simulated_ += simulated;
    if (outcome) {
        add(scenario, seed, *outcome);
    } else {
        fmt::print("  seed {}: {}\n", seed, to_string(outcome.error()));
        ++failed_;
        repeat_ = command_for(scenario, seed);
    }
}

void campaign::add(const scenario& scenario, std::uint64_t seed, const run_outcome& outcome) {
    events_ += outcome.events;
    probes_.add(outcome.probes);
    scenario_probes_.add(outcome.probes);
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
    for (const auto& violation : outcome.violations) fmt::print("    {}\n", violation);
    repeat_ = command_for(scenario, seed);
    fmt::print("    repeat with: {}\n", repeat_);
}

bool campaign::report() const {
    std::string faults;
    for (const auto& [name, count] : faults_fired_) faults += fmt::format(" {} {}x", name, count);
    fmt::print("{} events; faults:{}\n", events_, faults.empty() ? " none" : faults);
    std::string missing;
    for (const auto probe : probes_.never_reached())
        missing += fmt::format(" {}", to_string(probe));
    if (!missing.empty()) fmt::print("never reached:{}\n", missing);
    fmt::print("{} passed, {} failed\n", passed_, failed_);
    if (failed_ > 0) fmt::print("repeat with: {}\n", repeat_);
    return failed_ == 0;
}

}  // namespace muster::sim
