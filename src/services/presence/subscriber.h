#pragma once

#include "ports/bus.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "services/cluster/topology.h"
#include "services/presence/load_cache.h"
#include "services/presence/presence_cache.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>

namespace muster::presence {

// Feeds the presence and load caches from the reports of the nodes. A node whose lease ended, or
// that was silent for too long, has no attached systems. It subscribes again after an outage of the
// bus. Not thread-safe, except for malformed(); run its coroutines on one strand.
class subscriber {
public:
    struct options {
        monotonic::duration silence_max = std::chrono::seconds(100);
        // A new node may send reports before it is in the list of servers.
        monotonic::duration absence_max = std::chrono::seconds(5);
        monotonic::duration check_interval = std::chrono::seconds(1);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };
    struct dependencies {
        bus& bus;
        muster::clock& clock;
        const cluster::topology_cache& topology;
        presence_cache& presence;
        load_cache& loads;
        runtime::logger& log;
    };

    subscriber(dependencies deps, options options) : deps_(deps), options_(options) {}

    // Each runs until cancelled.
    boost::asio::awaitable<void> follow_reports();
    boost::asio::awaitable<void> follow_loads();
    boost::asio::awaitable<void> expire_nodes();

    std::uint64_t malformed() const { return malformed_; }

private:
    void apply_report(const stream::message& message);
    void apply_load(const stream::message& message);
    async<void> follow(std::string pattern, void (subscriber::*apply)(const stream::message&));
    boost::asio::awaitable<void> follow_forever(
        std::string pattern, void (subscriber::*apply)(const stream::message&));
    void expire_absent(instant now);

    dependencies deps_;
    options options_;
    std::map<node_number, instant> absent_since_;
    std::atomic<std::uint64_t> malformed_ = 0;
};

}  // namespace muster::presence
