#pragma once

#include "base/prng.h"
#include "base/time.h"
#include "sim/faults.h"
#include "sim/probes.h"
#include "sim/trace.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

using action = std::move_only_function<void()>;

// One life of a process, from its start to its crash. What is scheduled for a life dies with it.
struct life {
    std::uint64_t number = 0;
    bool alive = true;
    instant paused_until{};
};

// Virtual time: the clock jumps to the next event, so an hour of cluster life costs seconds.
//
// Events run one at a time, ordered by (time, sequence). Nothing else decides what happens: no
// thread, no real clock, no address, no hash order. So the same seed gives the same run, and
// hash() tells whether it did.
class world {
public:
    struct limits {
        // More events than this without time moving on is a livelock, and reported as one.
        static constexpr std::uint64_t events_per_instant_max = 5'000'000;
        static constexpr std::size_t violations_max = 20;
    };

    explicit world(std::uint64_t seed);
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world();

    instant now() const { return now_; }
    std::uint64_t seed() const { return seed_; }

    // The random numbers of one part. Parts do not disturb each other: which numbers a part gets
    // depends on the seed and its name only.
    prng& random(const std::string& part);

    life& kernel() { return lives_.front(); }
    life& begin_life();
    // Drops everything that is scheduled for it. Not from within an event of that same life.
    void end_life(life& whose);
    // Holds back everything of that life until then, as a stopped process or a long pause does.
    void pause(life& whose, instant until);

    void post(life& whose, action action);
    void at(life& whose, instant when, action action);
    void after(life& whose, monotonic::duration delay, action action) {
        at(whose, now_ + delay, std::move(action));
    }

    // Runs one event, if there is one no later than `end`.
    bool step(instant end);
    void run_until(instant end);

    void note(std::string_view kind, std::string_view user, std::uint64_t payload = 0) {
        tracing.note(now_, kind, user, payload);
    }

    // An invariant does not hold. The run goes on; whoever drives it decides when to stop.
    void violated(std::string text);
    const std::vector<std::string>& violations() const { return violations_; }

    // The trace and the final state of every random part ("unseed").
    std::uint64_t hash() const;
    std::uint64_t events_run() const { return events_run_; }

    sim::trace tracing;
    sim::faults faults;
    sim::probes probes;

private:
    struct event {
        instant when;
        std::uint64_t sequence = 0;
        life* whose = nullptr;
        action what;
    };
    struct later {
        bool operator()(const event& a, const event& b) const {
            return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
        }
    };

    bool ready_comes_first() const;
    event take_next();
    void advance_to(instant when);

    std::uint64_t seed_;
    instant now_{};
    std::uint64_t sequence_ = 0;
    std::uint64_t events_run_ = 0;
    std::uint64_t events_this_instant_ = 0;
    const life* running_ = nullptr;
    std::deque<life> lives_;     // never shrinks: executors point into it
    std::deque<event> ready_;    // due now, in order
    std::vector<event> timers_;  // a heap by (time, sequence)
    std::map<std::string, prng> parts_;
    std::vector<std::string> violations_;
};

}  // namespace muster::sim
