#pragma once

#include "sim/cluster.h"
#include "sim/contract_world.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::sim {

// What the fixtures of all three ports share: one engine in a cluster with a bad network, and what
// the contracts want to do to it.
class contract_stage {
public:
    // The worse the network, the more is asked of the clients.
    static network_options bad_network();

    explicit contract_stage(std::uint64_t seed) : stage(seed, bad_network()), where(stage) {}

    // A new host for one more client.
    process& add_client();

    boost::asio::awaitable<void> kill(process& engine);
    boost::asio::awaitable<void> restart(process& engine);
    boost::asio::awaitable<void> cut(process& engine);
    boost::asio::awaitable<void> heal();
    // As when the leader of a cluster stands still and another takes over.
    boost::asio::awaitable<void> stand_still(process& engine);

    cluster stage;
    contract_world where;

private:
    int clients_ = 0;
};

}  // namespace muster::sim
