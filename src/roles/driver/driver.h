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

// Maintains the zones' slot tables and the nodes' states. Every server with the driver role runs
// one. The elected driver acts; each of its writes is conditional on still being the leader.
//
// Not thread-safe; call from one strand. Decisions are made in core/membership and core/placement.
class driver final : public runtime::wakeup {
public:
    struct options {
        std::string server;
        std::chrono::seconds term{5};  // lease of the active driver
        monotonic::duration tick = std::chrono::seconds(1);
        monotonic::duration plan_interval = std::chrono::seconds(5);
        std::size_t moves_per_step = 256;  // rebalancing moves; counted separately for empty slots
        std::size_t zones_per_tick = 32;   // zones planned in one tick
        monotonic::duration probe_interval = std::chrono::seconds(5);
        std::chrono::hours pooled_lifetime{24};  // of a pooled node without a server
    };
    struct dependencies {
        muster::metastore& metastore;
        muster::clock& clock;
        const cluster::topology_cache& topology;
        cluster::publish_function publish;
        runtime::logger& log;
    };
    struct counters {
        std::atomic<bool> active = false;
        std::atomic<std::uint64_t> plans = 0;
        std::atomic<std::uint64_t> moves = 0;
        std::atomic<std::uint64_t> unplaced = 0;  // slots of all zones without a node
        std::atomic<std::uint64_t> probes_dropped = 0;
        std::atomic<std::uint64_t> table_bytes_max = 0;
    };

    driver(dependencies deps, driver_inputs& inputs, options options);

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    void wake() override { wakeup_.notify(); }

    // Gives up the leadership so that another driver leads at once. Call after run() has ended.
    async<void> leave() { return election_.leave(); }

    const counters& counts() const { return counts_; }
    void export_to(runtime::metrics& metrics) const;

private:
    struct zone_plan {
        instant planned_at = instant::min();
        std::uint64_t members = 0;    // digest of the members at the last plan
        std::uint64_t signature = 0;  // digest of all inputs of the last plan
        std::size_t unplaced = 0;
        bool topology_readable = true;
    };
    struct probe_request {
        std::string zone;
        node_number suspect;
        node_number peer;
    };
    using snapshot = std::shared_ptr<const cluster::topology>;
    static constexpr std::size_t probers = 8;
    static constexpr std::size_t probe_requests_max = 1024;

    boost::asio::awaitable<void> run_rounds();
    async<void> run_once();
    async<void> check_zone(std::string zone);
    async<void> apply_effect(std::string zone, snapshot snapshot, membership::effect effect);
    async<void> set_state(std::string zone, snapshot snapshot, membership::set_state change);
    async<void> record_hold(std::string zone, bool is_held, membership::freeze_zone hold);
    void request_probes(const std::string& zone, const membership::ask_peers& request);
    boost::asio::awaitable<void> send_probes(std::size_t refresh_zone_index);
    async<void> plan_zones();
    async<void> plan_zone(std::string zone);
    async<void> save_plan(std::string zone, placement::plan plan);
    async<void> remove_absent_pooled_nodes();
    void discard_term_state();
    zone_failure_monitor& monitor_of(const std::string& zone);
    const zone_nodes& nodes_of(const std::string& zone);
    void refresh_zone_index(const snapshot& snapshot);

    dependencies deps_;
    driver_inputs& inputs_;
    options options_;
    cluster::election election_;
    runtime::async_event wakeup_;
    snapshot indexed_;
    std::map<std::string, zone_nodes> by_zone_;  // nodes of indexed_
    std::map<std::string, zone_failure_monitor> monitors_;
    std::map<std::string, zone_plan> plans_;
    capacity_estimator loads_;
    std::deque<probe_request> probe_requests_;
    std::array<runtime::async_event, probers> prober_wakeups_;
    counters counts_;
};

}  // namespace muster::driver
