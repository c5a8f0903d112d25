#pragma once

#include "core/placement/capacity.h"
#include "core/placement/planner.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "roles/driver/capacity_estimator.h"
#include "roles/driver/driver_inputs.h"
#include "roles/driver/zone_failure_monitor.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/wakeup.h"
#include "services/cluster/election.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/cluster/topology.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::driver {

// Keeps the zones' slot tables and the nodes' states. Every server with the role runs one; the one
// that wins the election acts, and each of its writes is made on condition that it still leads.
//
// Lives on one strand. All it decides comes from core/membership and core/placement.
class driver final : public runtime::wakeup {
public:
    struct options {
        std::string server;
        std::chrono::seconds term{5};  // the lease of the active driver
        monotonic::duration tick = std::chrono::seconds(1);
        monotonic::duration plan_interval = std::chrono::seconds(5);
        std::size_t moves_per_step = 256;  // of inhabited slots, and of empty ones, that even out
        std::size_t zones_per_tick = 32;   // planned at most
        monotonic::duration probe_interval = std::chrono::seconds(5);
        std::chrono::hours pooled_lifetime{24};  // of a pooled node that is not there
    };
    struct dependencies {
        muster::metastore& metastore;
        muster::clock& clock;
        const cluster::topology_cache& topology;
        cluster::announcement announce;
        runtime::logger& log;
    };
    struct counts {
        std::atomic<bool> active = false;
        std::atomic<std::uint64_t> plans = 0;
        std::atomic<std::uint64_t> moves = 0;
        std::atomic<std::uint64_t> unplaced = 0;  // slots of all zones that nobody may take
        std::atomic<std::uint64_t> probes_dropped = 0;
        std::atomic<std::uint64_t> table_bytes_max = 0;
    };

    driver(dependencies deps, driver_inputs& inputs, options options);

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    void wake() override { bell_.ring(); }

    // Lets another server's driver lead at once. To be called after run() has ended.
    async<void> leave() { return election_.leave(); }

    const counts& counted() const { return counted_; }
    void export_to(runtime::metrics& where) const;

private:
    struct planned {
        instant at = instant::min();
        std::uint64_t members = 0;    // a digest of those it was made with
        std::uint64_t signature = 0;  // a digest of all it was made from
        std::size_t unplaced = 0;
        bool understood = true;
    };
    struct question {
        std::string zone;
        node_number suspect;
        node_number peer;
    };
    using snapshot = std::shared_ptr<const cluster::topology>;
    static constexpr std::size_t probers = 8;
    static constexpr std::size_t questions_max = 1024;

    boost::asio::awaitable<void> lead();
    async<void> act();
    async<void> watch_zone(std::string zone);
    async<void> perform(std::string zone, snapshot snapshot, membership::effect effect);
    async<void> set_state(std::string zone, snapshot snapshot, membership::set_state set_state);
    async<void> note_hold(std::string zone, bool holding, membership::raise_hold raise_hold);
    void ask(const std::string& zone, const membership::ask_peers& ask_peers);
    boost::asio::awaitable<void> answer_questions(std::size_t index);
    async<void> plan_zones();
    async<void> plan_zone(std::string zone);
    async<void> save_plan(std::string zone, placement::plan plan);
    async<void> remove_forgotten();
    void forget_everything();
    zone_failure_monitor& watch_of(const std::string& zone);
    const zone_nodes& nodes_of(const std::string& zone);
    void index(const snapshot& snapshot);

    dependencies deps_;
    driver_inputs& inputs_;
    options options_;
    cluster::election election_;
    runtime::async_event bell_;
    snapshot indexed_;
    std::map<std::string, zone_nodes> by_zone_;  // of indexed_
    std::map<std::string, zone_failure_monitor> watches_;
    std::map<std::string, planned> plans_;
    capacity_estimator loads_;
    std::deque<question> questions_;
    std::array<runtime::async_event, probers> prober_bells_;
    counts counted_;
};

}  // namespace muster::driver
