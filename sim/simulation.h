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

// One run of a process, from its start to its crash. Its scheduled events are dropped when it ends.
struct life {
    std::uint64_t number = 0;
    bool alive = true;
    instant paused_until{};
};

// Virtual time and an event queue. The clock jumps to the next event, so an hour of cluster time
// costs seconds.
//
// Events run one at a time, ordered by (time, sequence). No thread, real clock, address or hash
// order has an influence, so the same seed gives the same run. hash() shows whether it did. Not
// thread-safe.
class simulation {
public:
    struct limits {
        // More events than this without progress of time are a livelock; an assertion reports it.
        static constexpr std::uint64_t events_per_instant_max = 5'000'000;
        static constexpr std::size_t violations_max = 20;
    };

    explicit simulation(std::uint64_t seed);
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;
    ~simulation();

    instant now() const { return now_; }
    std::uint64_t seed() const { return seed_; }

    // The random numbers of one part. They depend only on the seed and on the name of the part, so
    // parts do not disturb each other.
    prng& random(const std::string& part);

    life& kernel() { return lives_.front(); }
    life& begin_life();
    // Drops all events of the life. Do not call it from an event of that life.
    void end_life(life& owner);
    // Delays all events of the life until then, like a stopped process or a long pause.
    void pause(life& owner, instant until);

    void post(life& owner, action action);
    void at(life& owner, instant when, action action);
    void after(life& owner, monotonic::duration delay, action action) {
        at(owner, now_ + delay, std::move(action));
    }

    // Runs the next event if it is due at `end` or earlier; false if there is none.
    bool step(instant end);
    void run_until(instant end);

    void note(std::string_view kind, std::string_view subject, std::uint64_t payload = 0) {
        tracing.note(now_, kind, subject, payload);
    }

    // Records a violated invariant. The run continues; its driver decides when to stop.
    void violated(std::string text);
    const std::vector<std::string>& violations() const { return violations_; }

    // A digest of the trace and of the final state of every random part.
    std::uint64_t hash() const;
    std::uint64_t events_run() const { return events_run_; }

    sim::trace tracing;
    sim::faults faults;
    sim::probes probes;

private:
    struct event {
        instant when;
        std::uint64_t sequence = 0;
        life* owner = nullptr;
        sim::action action;
    };
    struct later {
        bool operator()(const event& a, const event& b) const {
            return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
        }
    };

    bool ready_comes_first() const;
    event pop_next();
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
