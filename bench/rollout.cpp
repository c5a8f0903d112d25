// What rolling a job out costs on one node: a task that starts and returns, for jobs of ten
// thousand to a million systems, at a full node and at a batch; how long opening such a job takes,
// and what it holds in memory while a few thousand tasks are in flight.
//
//   bench_rollout          measures and prints
//
// All of it is CPU time of one thread.
#include "bench/measure.h"
#include "core/rollout/task_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <malloc.h>
#include <string>
#include <variant>

namespace muster::rollout {
namespace {

constexpr std::uint64_t tasks_measured = 300'000;
constexpr double growth_max = 1.5;  // of the cost of a task, from ten thousand to a million
constexpr double nanoseconds_wanted = 5000;
constexpr std::uint64_t points = 2000;

struct figures {
    double opening_milliseconds = 0;
    double task_nanoseconds = 0;
    double bytes_a_target = 0;
};

// Takes what the scheduler starts, and gives it back in that order.
class agents {
public:
    void apply(const effects& effects) {
        for (const effect& effect : effects)
            if (const auto* started = std::get_if<start>(&effect))
                running_.push_back(started->task);
    }
    bool idle() const { return running_.empty(); }
    attempt_key next() {
        const attempt_key task = running_.front();
        running_.pop_front();
        return task;
    }

private:
    std::deque<attempt_key> running_;
};

double heap_bytes() {
    return static_cast<double>(mallinfo2().uordblks);
}

figures rolled_out(std::int64_t systems, rollout_options rollout) {
    instant now(std::chrono::hours(1));
    task_scheduler machine({.self = node_id("node1"), .node_tasks_max = points});
    agents fleet;
    for (std::int64_t number = 1; number <= systems; ++number)
        fleet.apply(machine.on_attached(system_number(number), now));
    figures match;
    const double heap = heap_bytes();
    double began = bench::own_cpu_seconds();
    share share;
    share.targets = fleet::system_set::range(system_number(1), system_number(systems));
    const auto count = static_cast<std::uint64_t>(systems);
    const job_terms terms{
        .job = job_id(1),
        .rollout = rollout,
        .period = {.opens = now, .expires = now + std::chrono::hours(24)},
        .targets = count};
    fleet.apply(bench::must(machine.open(terms, std::move(share), now)));
    fleet.apply(machine.set_allowance(
        job_id(1), {.concurrency = concurrency_of(rollout, count).value_or(0)}, {}, now));
    fleet.apply(machine.set_permission(job_id(1), start_all{}, now));
    match.opening_milliseconds = 1e3 * (bench::own_cpu_seconds() - began);

    std::uint64_t done = 0;
    began = bench::own_cpu_seconds();
    while (!fleet.idle() && done < tasks_measured) {
        const attempt_key task = fleet.next();
        now += std::chrono::microseconds(20);
        fleet.apply(machine.on_accepted(task, now));
        fleet.apply(machine.on_returned(task, outcome::completed, {}, now));
        ++done;
    }
    const double seconds = bench::own_cpu_seconds() - began;
    match.task_nanoseconds = 1e9 * seconds / static_cast<double>(done);
    match.bytes_a_target = (heap_bytes() - heap) / static_cast<double>(systems);
    return match;
}

// The middle of three: the machine may be busy with other things.
figures measured(std::int64_t systems, rollout_options rollout) {
    std::vector<figures> rounds;
    for (int round = 0; round < 3; ++round) rounds.push_back(rolled_out(systems, rollout));
    std::ranges::sort(rounds, {}, &figures::task_nanoseconds);
    return rounds[1];
}

void compared(const std::string& text, const rollout_options& rollout) {
    double smallest = 0;
    for (const std::int64_t systems : {10'000, 100'000, 1'000'000}) {
        const figures figures = measured(systems, rollout);
        if (smallest == 0) smallest = figures.task_nanoseconds;
        const double growth = figures.task_nanoseconds / smallest;
        fmt::print(
            "{:<18} {:>9} systems: opened in {:7.2f} ms, {:5.0f} ns per task ({:.2f} of the "
            "first), {:.2f} bytes per target\n",
            text,
            systems,
            figures.opening_milliseconds,
            figures.task_nanoseconds,
            growth,
            figures.bytes_a_target);
        const auto name = fmt::format("{}, {} systems", text, systems);
        bench::check_at_most(
            {.name = name + ", per task", .measured = figures.task_nanoseconds, .unit = "ns"},
            nanoseconds_wanted);
        bench::check_at_most(
            {.name = name + ", relative to 10,000", .measured = growth}, growth_max);
    }
}

void run() {
    compared("full node", {});
    compared("batch of 200", {.batch = amount{.value = 200}});
}

}  // namespace
}  // namespace muster::rollout

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& /*arguments*/) {
        muster::rollout::run();
        return 0;
    });
}
