#pragma once

#include "sim/cluster.h"
#include "sim/contract_world.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
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
    // One process stands for the whole cluster of the engine: engine.h tells what it does then.
    boost::asio::awaitable<void> change_leader(process& engine);

    cluster stage;
    contract_world where;

private:
    int clients_ = 0;
};

// A fixture of a port's contract: one simulated engine on such a stage.
template <class Fixture>
class simulated_fixture : public Fixture {
public:
    contract::world& where() override { return stage_.where; }

    boost::asio::awaitable<void> kill_engine() override { return stage_.kill(engine_); }
    boost::asio::awaitable<void> restart_engine() override { return stage_.restart(engine_); }
    boost::asio::awaitable<void> faulty_tcp_proxy() override { return stage_.cut(engine_); }
    boost::asio::awaitable<void> heal_link() override { return stage_.heal(); }

    world& events() { return stage_.stage.world; }

protected:
    template <class AddEngine>
    simulated_fixture(std::uint64_t seed, AddEngine add)
        : stage_(seed), engine_(add(stage_.stage)) {
        engine_.start();
    }

    contract_stage& on() { return stage_; }
    process& engine() { return engine_; }

private:
    contract_stage stage_;
    process& engine_;
};

// Tries one promise and tells by a number what happened meanwhile.
template <class Fixture, class Promise>
std::uint64_t hash_after(const Promise& promise, std::uint64_t seed) {
    Fixture under_test(seed);
    check_promise(promise, under_test);
    if (!under_test.events().violations().empty())
        throw std::runtime_error("the simulated world saw what must not be");
    return under_test.events().hash();
}

}  // namespace muster::sim
