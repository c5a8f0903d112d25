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
        monotonic::duration change_interval = std::chrono::seconds(1);
        monotonic::duration whole_interval = std::chrono::seconds(30);
        monotonic::duration load_interval = std::chrono::seconds(5);
        monotonic::duration timeout = std::chrono::seconds(2);  // for the bus to take one message
    };
    struct dependencies {
        bus& bus;
        muster::clock& clock;
        const cluster::topology_cache& topology;
        attached_agents& attached;
        runtime::logger& log;
        const cluster::process_start& start;  // before it is known nothing is told
        // Told of what changed, too, before the bus is; null: nobody is.
        history::presence_history_writer* history = nullptr;
    };

    publisher(dependencies deps, options options) : deps_(deps), options_(std::move(options)) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

private:
    async<void> tell_presence(const cluster::node_record* own);
    async<void> tell_load(const cluster::node_record* own);
    async<void> tell_started();
    void owe(const attached_agents::changes& news);
    async<void> publish(std::string subject, std::string payload);
    std::uint64_t start() const;
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
