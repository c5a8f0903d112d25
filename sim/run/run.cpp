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

// Longer than any client timeout and any lease, so that everything has recovered.
constexpr auto settling_time = 1min;
constexpr auto last_checks_time_max = 10min;

// Limits are random, so that rare situations are common in some runs.
engine_options draw_options(sim::simulation& simulation, const std::string& name) {
    prng& random = simulation.random("limits of " + name);
    engine_options options;
    if (random.chance(500)) options.journal_bytes_max = std::size_t{1} << (12 + random.below(8));
    if (random.chance(250)) options.group_max = 1 + random.below(4);
    if (random.chance(250)) options.queue_max = 1 + random.below(4);
    return options;
}

process& add_engine(sim::cluster& cluster, engine_kind kind, std::int64_t watch_history) {
    const std::string name(to_string(kind));
    const engine_options options = draw_options(cluster.simulation, name);
    switch (kind) {
        case engine_kind::metastore:
            return add_metastore_engine(
                cluster,
                name,
                {.serving = options, .watch_history_max = static_cast<std::size_t>(watch_history)});
        case engine_kind::bus:
            return add_bus_engine(cluster, name, options);
        case engine_kind::ledger:
            return add_ledger_engine(cluster, name, options);
    }
    MUSTER_ASSERT(false);
}

class scenario_run {
public:
    scenario_run(
        std::vector<std::unique_ptr<workload>> workloads, std::uint64_t seed, network_options net)
        : workloads_(std::move(workloads)), cluster_(seed, net) {}

    sim::cluster& cluster() { return cluster_; }

    nemesis::victims start(std::int64_t watch_history) {
        nemesis::victims victims;
        std::set<engine_kind> engines;
        for (const auto& workload : workloads_) engines.merge(workload->needs());
        for (const auto engine : engines) {
            add_engine(cluster_, engine, watch_history).start();
            victims.engines.emplace_back(to_string(engine));
        }
        for (const auto& workload : workloads_) {
            workload->start(cluster_);
            const auto& names = workload->clients();
            victims.clients.insert(victims.clients.end(), names.begin(), names.end());
        }
        return victims;
    }

    // False if an invariant is violated.
    bool run_for(monotonic::duration span) {
        const instant end = cluster_.simulation.now() + span;
        while (cluster_.simulation.violations().empty() && cluster_.simulation.step(end)) {}
        return cluster_.simulation.violations().empty();
    }

    void check_at_end() {
        for (const auto& workload : workloads_) workload->wind_down();
        if (!run_for(settling_time)) return;
        process& checker = cluster_.add({.name = "checker", .clock = {}, .disk = {}}, {});
        checker.start();
        checker.spawn("run final checks", check_all(checker));
        const instant end = cluster_.simulation.now() + last_checks_time_max;
        while (!checked_ && cluster_.simulation.violations().empty()
               && cluster_.simulation.step(end)) {}
        const bool hangs = !checked_ && cluster_.simulation.violations().empty();
        if (hangs) cluster_.simulation.violated("final checks timed out");
    }

    std::string summary() const {
        std::string text;
        for (const auto& workload : workloads_)
            text += (text.empty() ? "" : "; ") + workload->summary();
        return text;
    }

private:
    boost::asio::awaitable<void> check_all(process& checker) {
        for (const auto& workload : workloads_) co_await workload->check_at_end(checker);
        checked_ = true;
    }

    std::vector<std::unique_ptr<workload>>
        workloads_;  // declared before the cluster, so they outlive its processes
    sim::cluster cluster_;
    bool checked_ = false;
};

run_outcome outcome_of(scenario_run& finished_run, expectation expected) {
    sim::simulation& simulation = finished_run.cluster().simulation;
    run_outcome outcome{
        .violations = simulation.violations(),
        .hash = simulation.hash(),
        .events = simulation.events_run(),
        .simulated = simulation.now().time_since_epoch(),
        .summary = finished_run.summary(),
        .probes = simulation.probes};
    outcome.passed = simulation.violations().empty() == (expected == expectation::holds);
    if (simulation.violations().empty() && expected == expectation::is_violated) {
        outcome.violations.emplace_back("expected violation did not occur");
    }
    for (const auto& [name, fault] : simulation.faults.all()) {
        if (fault.fired() > 0) outcome.faults_fired[name] = fault.fired();
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
    scenario_run run_state(std::move(workloads), options.seed, scenario.network);
    sim::simulation& simulation = run_state.cluster().simulation;
    simulation.tracing.print_with(std::move(options.print));
    for (const auto& [name, plan] : scenario.faults) {
        CHECK_OK(simulation.faults.arm(name, plan.odds));
    }
    nemesis nemesis_faults(
        run_state.cluster(), run_state.start(scenario.watch_history), scenario.faults);
    nemesis_faults.begin();
    const bool holds = run_state.run_for(options.duration);
    nemesis_faults.end();
    if (holds) run_state.check_at_end();
    return outcome_of(run_state, scenario.expects);
}

}  // namespace muster::sim
