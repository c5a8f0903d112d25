#pragma once

#include "ports/bus.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "services/cluster/topology.h"
#include "services/presence/attached_agents.h"
#include "services/presence/load_cache.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::presence {

// Where reports are found on the bus; ZONE.NODE follows.
inline constexpr auto report_subject = "muster.presence.";
inline constexpr auto load_subject = "muster.load.";
inline constexpr auto started_subject = "muster.system.started";

// Tells the cluster who is attached to this node: changes every second as one message, everybody
// now and then, and what the node's work costs. Never a message a system. What the bus does not
// take is made good by the next whole report, which then comes at once; what no such report says,
// why systems went and that agents were started, is kept until it is taken. Lives on one strand.
class publisher {
public:
    // So many systems' departures, and as many starts, are kept for a bus that takes nothing.
    static constexpr std::size_t owed_max = 250'000;

    struct options {
        std::string node;  // this node's name
        // Larger at each start of the process, whatever its clock says; zero: not known yet, and
        // nothing is told.
        std::function<std::uint64_t()> start;
        monotonic::duration change_interval = std::chrono::seconds(1);
        monotonic::duration whole_interval = std::chrono::seconds(30);
        monotonic::duration load_interval = std::chrono::seconds(5);
        monotonic::duration patience = std::chrono::seconds(2);  // for the bus to take one message
    };
    struct usage {
        double cpu_seconds = 0;
        std::int64_t cores = 1;
        std::int64_t memory_bytes = 0;
    };
    struct dependencies {
        bus& bus;
        clock& time;
        const cluster::topology_cache& topology;
        attached_agents& attached;
        runtime::logger& log;
        std::function<usage()> used;
        // Told of what changed, too, before the bus is.
        std::function<void(const attached_agents::changes&)> noted = nullptr;
    };

    publisher(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

private:
    async<void> tell_presence(const cluster::node_record* own);
    async<void> tell_load(const cluster::node_record* own);
    async<void> tell_started();
    void owe(const attached_agents::changes& news);
    async<void> publish(std::string subject, std::string payload);
    report empty_report(const cluster::node_record& own) const;

    dependencies deps_;
    options options_;
    std::map<system_number, departure> departed_;  // not told yet, and not back
    std::set<system_number> started_;              // not told yet
    std::uint64_t sequence_ = 0;
    instant whole_due_{};
    instant load_due_{};
    bool failing_ = false;
};

}  // namespace muster::presence
