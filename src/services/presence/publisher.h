#pragma once

#include "ports/bus.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "services/cluster/process_start.h"
#include "services/cluster/topology.h"
#include "services/presence/attached_agents.h"
#include "services/presence/load_cache.h"
#include "services/presence/presence_history_writer.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::presence {

// Subjects of reports on the bus; ZONE.NODE follows.
inline constexpr auto report_subject = "muster.presence.";
inline constexpr auto load_subject = "muster.load.";
inline constexpr auto started_subject = "muster.system.started";

// Reports the agents attached to this node: changes every second as one message, a full report
// periodically, and the load of the node. It never sends one message per system.
//
// After a failed publish the next full report follows at once. Reasons of detaches and starts of
// agents, which a full report lacks, are kept until published. Not thread-safe; call from one
// strand.
class publisher {
public:
    // Maximum of detaches, and of starts, that are kept while the bus is unavailable.
    static constexpr std::size_t unpublished_max = 250'000;

    struct options {
        std::string node;  // name of this node
        monotonic::duration change_interval = std::chrono::seconds(1);
        monotonic::duration full_report_interval = std::chrono::seconds(30);
        monotonic::duration load_interval = std::chrono::seconds(5);
        monotonic::duration timeout = std::chrono::seconds(2);  // of one publish
    };
    struct dependencies {
        bus& bus;
        muster::clock& clock;
        const cluster::topology_cache& topology;
        attached_agents& attached;
        runtime::logger& log;
        const cluster::process_start& start;  // nothing is published before it is known
        // Records the changes before they are published; null: no history.
        history::presence_history_writer* history = nullptr;
    };

    publisher(dependencies deps, options options) : deps_(deps), options_(std::move(options)) {}

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

private:
    async<void> publish_presence(const cluster::node_record* node);
    async<void> publish_load(const cluster::node_record* node);
    async<void> publish_started();
    void add_unpublished(const attached_agents::changes& changes);
    async<void> publish(std::string subject, std::string payload);
    std::uint64_t start() const;
    report empty_report(const cluster::node_record& node) const;

    dependencies deps_;
    options options_;
    std::map<system_number, detach_event> unpublished_detaches_;  // not attached again
    std::set<system_number> unpublished_starts_;
    std::uint64_t sequence_ = 0;
    instant full_report_due_{};
    instant load_due_{};
    bool failing_ = false;
};

}  // namespace muster::presence
