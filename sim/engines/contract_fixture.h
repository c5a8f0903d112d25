#pragma once

#include "sim/cluster.h"
#include "sim/contract_world.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace muster::sim {

// Shared by the fixtures of all three ports: one engine in a cluster with a bad network, and the
// faults that the contracts inject.
class contract_environment {
public:
    // A bad network makes the clients repeat requests.
    static network_options bad_network();

    explicit contract_environment(std::uint64_t seed)
        : cluster(seed, bad_network()), world(cluster) {}

    // A new host for one more client.
    process& add_client();

    boost::asio::awaitable<void> kill(process& engine);
    boost::asio::awaitable<void> restart(process& engine);
    boost::asio::awaitable<void> cut(process& engine);
    boost::asio::awaitable<void> heal();
    // One process represents the whole cluster of the engine; see engine.h.
    boost::asio::awaitable<void> change_leader(process& engine);

    sim::cluster cluster;
    contract_world world;

private:
    int clients_ = 0;
};

// A contract fixture with one simulated engine.
template <class Fixture>
class simulated_fixture : public Fixture {
public:
    contract::world& where() override { return environment_.world; }

    boost::asio::awaitable<void> kill_engine() override { return environment_.kill(engine_); }
    boost::asio::awaitable<void> restart_engine() override { return environment_.restart(engine_); }
    boost::asio::awaitable<void> cut_link() override { return environment_.cut(engine_); }
    boost::asio::awaitable<void> heal_link() override { return environment_.heal(); }

    sim::simulation& simulation() { return environment_.cluster.simulation; }

protected:
    template <class AddEngine>
    simulated_fixture(std::uint64_t seed, AddEngine add)
        : environment_(seed), engine_(add(environment_.cluster)) {
        engine_.start();
    }

    contract_environment& environment() { return environment_; }
    process& engine() { return engine_; }

private:
    contract_environment environment_;
    process& engine_;
};

// Runs one contract case and returns the hash of the run.
template <class Fixture, class Case>
std::uint64_t hash_after(const Case& test_case, std::uint64_t seed) {
    Fixture fixture(seed);
    check_case(test_case, fixture);
    if (!fixture.simulation().violations().empty())
        throw std::runtime_error("the simulated world saw what must not be");
    return fixture.simulation().hash();
}

}  // namespace muster::sim
