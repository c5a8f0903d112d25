#include "sim/run/run.h"

#include "base/assert.h"
#include "sim/engines/bus.h"
#include "sim/engines/ledger.h"
#include "sim/engines/metastore.h"
#include "sim/run/nemesis.h"

#include <memory>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

// Longer than any client's patience and any lease, so that what is going to recover has recovered.
constexpr auto settling_time = 1min;
constexpr auto last_checks_time_max = 10min;

// Limits are drawn, too, so that what is rare with sensible ones is common in some runs.
engine_options draw_options(world& where, const std::string& name) {
    prng& random = where.random("limits of " + name);
    engine_options drawn;
    if (random.chance(500)) drawn.journal_bytes_max = std::size_t{1} << (12 + random.below(8));
    if (random.chance(250)) drawn.group_max = 1 + random.below(4);
    if (random.chance(250)) drawn.queue_max = 1 + random.below(4);
    return drawn;
}

process& add_engine(cluster& stage, engine_kind what, std::int64_t watch_history) {
    const std::string name(to_string(what));
    const engine_options options = draw_options(stage.world, name);
    switch (what) {
        case engine_kind::metastore:
            return add_metastore_engine(
                stage,
                name,
                {.serving = options, .watch_history_max = static_cast<std::size_t>(watch_history)});
        case engine_kind::bus:
            return add_bus_engine(stage, name, options);
        case engine_kind::ledger:
            return add_ledger_engine(stage, name, options);
    }
    MUSTER_ASSERT(false);
}

class play {
public:
    play(std::vector<std::unique_ptr<workload>> workloads, std::uint64_t seed, network_options net)
        : workloads_(std::move(workloads)), stage_(seed, net) {}

    cluster& stage() { return stage_; }

    nemesis::victims start(std::int64_t watch_history) {
        nemesis::victims victims;
        std::set<engine_kind> engines;
        for (const auto& workload : workloads_) engines.merge(workload->needs());
        for (const auto engine : engines) {
            add_engine(stage_, engine, watch_history).start();
            victims.engines.emplace_back(to_string(engine));
        }
        for (const auto& workload : workloads_) {
            workload->start(stage_);
            const auto& names = workload->clients();
            victims.clients.insert(victims.clients.end(), names.begin(), names.end());
        }
        return victims;
    }

    // False: something is violated.
    bool run_for(monotonic::duration span) {
        const instant end = stage_.world.now() + span;
        while (stage_.world.violations().empty() && stage_.world.step(end)) {}
        return stage_.world.violations().empty();
    }

    void check_at_end() {
        for (const auto& workload : workloads_) workload->wind_down();
        if (!run_for(settling_time)) return;
        process& checker = stage_.add({.name = "checker", .clock = {}, .disk = {}}, {});
        checker.start();
        checker.spawn("the last checks", check_all(checker));
        const instant end = stage_.world.now() + last_checks_time_max;
        while (!checked_ && stage_.world.violations().empty() && stage_.world.step(end)) {}
        const bool hangs = !checked_ && stage_.world.violations().empty();
        if (hangs) stage_.world.violated("the last checks do not end");
    }

    std::string summary() const {
        std::string all;
        for (const auto& workload : workloads_)
            all += (all.empty() ? "" : "; ") + workload->summary();
        return all;
    }

private:
    boost::asio::awaitable<void> check_all(process& checker) {
        for (const auto& workload : workloads_) co_await workload->check_at_end(checker);
        checked_ = true;
    }

    std::vector<std::unique_ptr<workload>> workloads_;  // before the stage: it outlives what runs
    cluster stage_;
    bool checked_ = false;
};

run_outcome outcome_of(play& of, expectation expected) {
    world& where = of.stage().world;
    run_outcome outcome{
        .violations = where.violations(),
        .hash = where.hash(),
        .events = where.events_run(),
        .simulated = where.now().time_since_epoch(),
        .summary = of.summary(),
        .probes = where.probes};
    outcome.passed = where.violations().empty() == (expected == expectation::holds);
    if (where.violations().empty() && expected == expectation::is_violated) {
        outcome.violations.emplace_back("the scenario expects a violation, and none was found");
    }
    for (const auto& [name, each] : where.faults.all()) {
        if (each.fired() > 0) outcome.faults_fired[name] = each.fired();
    }
    return outcome;
}

}  // namespace

result<run_outcome> run(const scenario& scenario, run_options options) {
    std::vector<std::unique_ptr<workload>> workloads;
    for (const auto& [name, numbers] : scenario.workloads) {
        TRY(auto result, make_workload(name, numbers));
        workloads.push_back(std::move(result));
    }
    play playing(std::move(workloads), options.seed, scenario.network);
    world& where = playing.stage().world;
    where.tracing.print_with(std::move(options.print));
    for (const auto& [name, plan] : scenario.faults) {
        CHECK_OK(where.faults.arm(name, plan.odds));
    }
    nemesis trouble(playing.stage(), playing.start(scenario.watch_history), scenario.faults);
    trouble.begin();
    const bool held = playing.run_for(options.duration);
    trouble.end();
    if (held) playing.check_at_end();
    return outcome_of(playing, scenario.expects);
}

}  // namespace muster::sim
