// Random runs of one scheduler with several jobs, compared with a simple model.
#include "base/prng.h"
#include "core/rollout/task_scheduler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <vector>

namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t seeds = 300;
constexpr int steps = 400;
constexpr std::int64_t systems = 24;
constexpr std::int64_t jobs = 4;
constexpr std::uint64_t node_points = 12;
constexpr std::uint32_t system_points = 2;

// What one job is, and what is known to have happened.
struct account {
    rollout_options rollout;
    bool permitted = false;
    bool paused = false;
    bool stopped = false;
    bool done = false;
    std::uint64_t places = 0;
    std::set<std::int64_t> closed;
    std::map<std::int64_t, std::uint32_t> in_flight;
    std::map<std::int64_t, std::uint32_t> attempts;  // how many were started
    std::set<std::int64_t> ended;
};

class life {
public:
    explicit life(std::uint64_t seed) : random_(seed) {
        for (std::int64_t job = 1; job <= jobs; ++job) open(job);
    }

    void step() {
        now_ += std::chrono::milliseconds(random_.below(3000));
        perform(machine_.expire(now_));
        const auto system = static_cast<std::int64_t>(random_.below(systems));
        const auto job = 1 + static_cast<std::int64_t>(random_.below(jobs));
        switch (random_.below(12)) {
            case 0:
                return come_or_go(system);
            case 1:
                return pause_or_resume(job);
            case 2:
                return turn_gate(job, system);
            case 3:
                return allow(job, random_.below(6));
            case 4:
                accounts_[job].permitted = true;
                return perform(machine_.set_permission(job_id(job), start_all{}, now_));
            case 5:
                return perform(machine_.set_ledger_state(
                    random_.chance(300) ? task_scheduler::ledger_state::overloaded
                                        : task_scheduler::ledger_state::ok,
                    now_));
            default:
                return answer(job);
        }
    }

    // All systems are permitted and attached, and every task returns.
    void quieten() {
        perform(machine_.set_ledger_state(task_scheduler::ledger_state::ok, now_));
        for (std::int64_t system = 0; system < systems; ++system)
            if (!attached_.contains(system)) come_or_go(system);
        for (auto& [job, state] : accounts_) {
            state.permitted = true;
            perform(machine_.set_permission(job_id(job), start_all{}, now_));
            if (state.paused) pause_or_resume(job);
            allow(job, 3);
            while (!state.closed.empty()) turn_gate(job, *state.closed.begin());
        }
    }
    void quiet_round() {
        now_ += 1min;
        perform(machine_.expire(now_));
        for (std::int64_t job = 1; job <= jobs; ++job) answer(job);
    }
    bool all_done() const {
        for (const auto& [job, state] : accounts_)
            if (!state.done) return false;
        return true;
    }
    std::uint64_t in_flight() const {
        std::uint64_t sum = 0;
        for (const auto& [job, state] : accounts_) sum += state.in_flight.size();
        return sum;
    }

    void check() const {
        REQUIRE(machine_.limited_in_flight() == in_flight());
        REQUIRE(in_flight() <= node_points);
        std::map<std::int64_t, std::uint32_t> on_system;
        for (const auto& [job, state] : accounts_) {
            for (const auto& [system, attempt] : state.in_flight) ++on_system[system];
            const auto response = machine_.report(job_id(job), now_);
            REQUIRE(response->running == state.in_flight.size());
            if (state.stopped) continue;
            REQUIRE(response->queued + response->running + state.ended.size() == systems);
        }
        for (const auto& [system, count] : on_system) REQUIRE(count <= system_points);
    }

private:
    void open(std::int64_t job) {
        account& state = accounts_[job];
        if (random_.chance(600)) state.rollout.batch = amount{.value = 3};
        state.rollout.retries = static_cast<std::uint32_t>(random_.below(3));
        state.rollout.priority = static_cast<std::int32_t>(random_.below(2));
        if (random_.chance(300)) state.rollout.max_failures = amount{.value = 4};
        const auto every_system =
            fleet::system_set::range(system_number(0), system_number(systems - 1));
        const job_terms terms{
            .job = job_id(job),
            .rollout = state.rollout,
            .period = {.opens = now_, .expires = now_ + 240h},
            .targets = systems};
        share share;
        share.targets = every_system;
        perform(machine_.open(terms, std::move(share), now_).value());
    }

    void come_or_go(std::int64_t system) {
        if (attached_.erase(system) > 0)
            return perform(machine_.on_detached(system_number(system), now_));
        attached_.insert(system);
        perform(machine_.on_attached(system_number(system), now_));
    }

    void pause_or_resume(std::int64_t job) {
        account& state = accounts_[job];
        state.paused = !state.paused;
        const auto target = state.paused ? job_stage::paused : job_stage::open;
        perform(machine_.set_stage(job_id(job), target, false, now_));
    }

    void turn_gate(std::int64_t job, std::int64_t system) {
        account& state = accounts_[job];
        const bool opens = state.closed.erase(system) > 0;
        if (!opens) state.closed.insert(system);
        const auto target =
            opens ? task_scheduler::window_state::open : task_scheduler::window_state::closed;
        perform(machine_.set_window(job_id(job), {system_number(system)}, target, now_));
    }

    void allow(std::int64_t job, std::uint64_t places) {
        accounts_[job].places = places;
        perform(machine_.set_allowance(job_id(job), {.concurrency = places}, {}, now_));
    }

    void answer(std::int64_t job) {
        account& state = accounts_[job];
        if (state.in_flight.empty()) return;
        auto at = state.in_flight.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random_.below(state.in_flight.size())));
        const attempt_key task{job_id(job), system_number(at->first), at->second};
        if (!attached_.contains(at->first)) return;
        if (random_.chance(200)) return perform(machine_.on_accepted(task, now_));
        const auto outcome = random_.chance(300) ? outcome::failed : outcome::completed;
        perform(machine_.on_returned(task, outcome, "", now_));
    }

    void perform(const effects& effects) {
        for (const effect& effect : effects) {
            if (const auto* match = std::get_if<start>(&effect)) begun(match->task);
            if (const auto* match = std::get_if<conclude>(&effect)) {
                account& state = accounts_[match->task.job.value()];
                REQUIRE(state.in_flight.erase(match->task.system.value()) == 1);
                if (is_final(match->state))
                    REQUIRE(state.ended.insert(match->task.system.value()).second);
            }
            if (const auto* match = std::get_if<halt>(&effect))
                accounts_[match->job.value()].stopped = true;
            if (const auto* match = std::get_if<share_done>(&effect))
                accounts_[match->job.value()].done = true;
        }
    }

    void begun(const attempt_key& task) {
        account& state = accounts_[task.job.value()];
        const std::int64_t system = task.system.value();
        REQUIRE(state.permitted);
        REQUIRE_FALSE(state.paused);
        REQUIRE_FALSE(state.stopped);
        REQUIRE(attached_.contains(system));
        REQUIRE_FALSE(state.closed.contains(system));
        REQUIRE_FALSE(state.ended.contains(system));
        REQUIRE(state.in_flight.emplace(system, task.attempt).second);
        REQUIRE(++state.attempts[system] == task.attempt);
        REQUIRE(task.attempt <= state.rollout.retries + 1);
        if (state.rollout.batch) REQUIRE(state.in_flight.size() <= state.places);
    }

    prng random_;
    instant now_ = instant(1h);
    std::map<std::int64_t, account> accounts_;
    std::set<std::int64_t> attached_;
    task_scheduler machine_{scheduler_options{
        .self = node_id("node1"),
        .node_tasks_max = node_points,
        .system_tasks_max = system_points}};
};

TEST_CASE(
    "every random life keeps batches, points, pauses, gates and attempts, and every job ends") {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        life life(seed);
        for (int step = 0; step < steps; ++step) {
            life.step();
            life.check();
        }
        life.quieten();
        int rounds = 0;
        while (!life.all_done() && rounds++ < 3000) life.quiet_round();
        REQUIRE(life.all_done());
        REQUIRE(life.in_flight() == 0);
    }
}

TEST_CASE("never do more tasks start in any span than the rate and its burst allow") {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        instant now(1h);
        const double rate = 0.5 + static_cast<double>(random.below(400)) / 10;
        const job_terms terms{
            .job = job_id(1),
            .rollout = {.rate = rate},
            .period = {.opens = now, .expires = now + 24h},
            .targets = 3000};
        task_scheduler machine({.self = node_id("node1"), .node_tasks_max = 3000});
        std::vector<instant> starts;
        const auto take = [&](const effects& effects) {
            starts.insert(starts.end(), effects.size(), now);
        };
        share share;
        share.targets = fleet::system_set::range(system_number(1), system_number(3000));
        REQUIRE(machine.open(terms, std::move(share), now).value().empty());
        for (std::int64_t system = 1; system <= 3000; ++system)
            REQUIRE(machine.on_attached(system_number(system), now).empty());
        const allowance full_allowance{.starts_milli = *starts_milli_of(terms.rollout)};
        take(machine.set_allowance(job_id(1), full_allowance, {}, now));
        take(machine.set_permission(job_id(1), start_all{}, now));
        for (int step = 0; step < 300; ++step) {
            now = random.chance(900) ? machine.next_deadline().value()
                                     : now + std::chrono::milliseconds(random.below(400));
            take(machine.expire(now));
            if (random.chance(100)) take(machine.set_allowance(job_id(1), full_allowance, {}, now));
        }
        const double burst = std::max(1.0, rate / node_job_state::burst_divisor);
        for (std::size_t first = 0; first < starts.size(); ++first)
            for (std::size_t last = first; last < starts.size(); last += 7) {
                const double span =
                    std::chrono::duration<double>(starts[last] - starts[first]).count();
                REQUIRE(static_cast<double>(last - first + 1) <= burst + rate * span + 1e-6);
            }
        REQUIRE(starts.size() >= 200);  // a deadline rings when there is something to start
    }
}

job_terms plain_job(std::int64_t job, rollout_options rollout, instant now) {
    return {
        .job = job_id(job),
        .rollout = rollout,
        .period = {.opens = now, .expires = now + 24h},
        .targets = 10'000};
}

// A full node: how many of each job's tasks were started after so many returns.
std::map<std::int64_t, int> starts_of(const std::map<std::int64_t, rollout_options>& optionses) {
    const instant now(1h);
    task_scheduler machine(
        {.self = node_id("node1"), .node_tasks_max = 50, .system_tasks_max = 10});
    std::vector<attempt_key> running;
    std::map<std::int64_t, int> count;
    const auto take = [&](const effects& effects) {
        for (const effect& effect : effects)
            if (const auto* match = std::get_if<start>(&effect)) {
                running.push_back(match->task);
                ++count[match->task.job.value()];
            }
    };
    take(machine.set_ledger_state(task_scheduler::ledger_state::overloaded, now));
    for (std::int64_t system = 0; system < 10'000; ++system)
        take(machine.on_attached(system_number(system), now));
    for (const auto& [job, rollout] : optionses) {
        share share;
        share.targets = fleet::system_set::range(system_number(0), system_number(9999));
        take(machine.open(plain_job(job, rollout, now), std::move(share), now).value());
        take(machine.set_permission(job_id(job), start_all{}, now));
    }
    take(machine.set_ledger_state(task_scheduler::ledger_state::ok, now));
    for (std::size_t next = 0; next < 5000; ++next)
        take(machine.on_returned(running[next], outcome::completed, "", now));
    return count;
}

TEST_CASE("jobs of one priority share a full node by their weights") {
    const auto count = starts_of({{1, {.weight = 10}}, {2, {.weight = 30}}});

    CHECK(count.at(1) + count.at(2) == 5050);
    CHECK(std::abs(3 * count.at(1) - count.at(2)) <= 60);
}

TEST_CASE("a higher priority goes first, and a lower one gets only what is left") {
    const auto count = starts_of({{1, {.priority = 0}}, {2, {.priority = 5}}});

    CHECK_FALSE(count.contains(1));
    CHECK(count.at(2) == 5050);
}

}  // namespace
}  // namespace muster::rollout
