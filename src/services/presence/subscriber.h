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

// Feeds presence and loads with what the nodes tell. A node whose lease ended, or that told nothing
// for too long, has nobody attached. Comes back by itself after the bus was away. Lives on one
// strand; three coroutines.
class subscriber {
public:
    struct options {
        monotonic::duration silence_max = std::chrono::seconds(100);
        // A node that only just starts may be heard before it is seen in the list of servers.
        monotonic::duration absence_max = std::chrono::seconds(5);
        monotonic::duration look_interval = std::chrono::seconds(1);
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

    // Each until it is cancelled.
    boost::asio::awaitable<void> follow_reports();
    boost::asio::awaitable<void> follow_loads();
    boost::asio::awaitable<void> drop_the_lost();

    std::uint64_t malformed() const { return malformed_; }

private:
    void take_report(const stream::message& message);
    void take_load(const stream::message& message);
    async<void> follow(std::string pattern, void (subscriber::*take)(const stream::message&));
    boost::asio::awaitable<void> keep_following(
        std::string pattern, void (subscriber::*take)(const stream::message&));
    void look_for_absent(instant now);

    dependencies deps_;
    options options_;
    std::map<node_number, instant> absent_since_;
    std::atomic<std::uint64_t> malformed_ = 0;
};

}  // namespace muster::presence
