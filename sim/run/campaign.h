#pragma once

#include "sim/run/run.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace muster::sim {

struct campaign_options {
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1;
    std::uint64_t jobs = 1;
    bool trace = false;
    std::uint64_t reaching_seeds_min = 100;  // fewer may miss what a scenario must reach
};

// Runs one seed of a scenario.
using player = std::function<result<run_outcome>(const scenario& scenario, run_options options)>;

// Runs scenarios seed by seed and prints the results. One seed in ten runs twice, to test
// determinism. Each simulation belongs to one thread; several run concurrently. If a seed crashes
// the program, the command that repeats it is the last line of output.
class campaign {
public:
    explicit campaign(campaign_options options, player run_seed = run)
        : options_(options), run_seed_(std::move(run_seed)) {}

    void play(const scenario& scenario);

    // Prints the probes never reached, "N passed, M failed", and how to repeat a failure. True if
    // all passed.
    bool report() const;

    std::uint64_t passed() const { return passed_; }
    std::uint64_t failed() const { return failed_; }

private:
    void play_seed(const scenario& scenario, std::uint64_t seed);
    void add(const scenario& scenario, std::uint64_t seed, const run_outcome& outcome);
    void check_reached(const scenario& scenario);
    static bool is_played_twice(std::uint64_t seed) { return seed % 10 == 1; }

    campaign_options options_;
    player run_seed_;
    std::mutex mutex_;
    std::uint64_t passed_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t events_ = 0;
    monotonic::duration simulated_{};
    std::string repeat_;  // the command that repeats the last failure
    std::map<std::string, std::uint64_t> faults_fired_;
    probes probes_;
    probes scenario_probes_;  // of the current scenario
};

}  // namespace muster::sim
