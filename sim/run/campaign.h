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

// Plays one seed of a scenario.
using player = std::function<result<run_outcome>(const scenario& scenario, run_options options)>;

// Plays scenarios seed by seed and tells how it went. One seed in ten is played twice: determinism
// itself is tested. Each world belongs to one thread; several are played at the same time. A seed
// that brings the program down has the command that repeats it for its last words.
class campaign {
public:
    explicit campaign(campaign_options options, player plays = run)
        : options_(options), plays_(std::move(plays)) {}

    void play(const scenario& scenario);

    // The last words: what was never reached, "N passed, M failed", and how to repeat a failure.
    // True when all passed.
    bool report() const;

    std::uint64_t passed() const { return passed_; }
    std::uint64_t failed() const { return failed_; }

private:
    void play_seed(const scenario& scenario, std::uint64_t seed);
    void add(const scenario& scenario, std::uint64_t seed, const run_outcome& outcome);
    void check_reached(const scenario& scenario);
    static bool is_played_twice(std::uint64_t seed) { return seed % 10 == 1; }

    campaign_options options_;
    player plays_;
    std::mutex mutex_;
    std::uint64_t passed_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t events_ = 0;
    monotonic::duration simulated_{};
    std::string repeat_;  // the command that repeats the last failure
    std::map<std::string, std::uint64_t> faults_fired_;
    probes probes_;
    probes of_scenario_;  // of the one that is played
};

}  // namespace muster::sim
