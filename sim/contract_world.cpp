#include "sim/contract_world.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

namespace muster::sim {

contract_world::contract_world(sim::cluster& cluster)
    : cluster_(cluster), tester_(cluster.add({.name = "tester", .clock = {}, .disk = {}}, {})) {
    tester_.start();
}

void contract_world::run(boost::asio::awaitable<void> scenario) {
    struct scenario_outcome {
        bool ended = false;
        std::exception_ptr failure;
    };
    const auto outcome = std::make_shared<scenario_outcome>();
    boost::asio::co_spawn(
        tester_.executor(),
        std::move(scenario),
        boost::asio::bind_executor(tester_.executor(), [outcome](std::exception_ptr thrown) {
            outcome->ended = true;
            outcome->failure = std::move(thrown);
        }));
    const instant end = cluster_.simulation.now() + scenario_time_max;
    while (!outcome->ended && cluster_.simulation.step(end)) {}
    if (!outcome->ended) throw std::runtime_error("scenario waits for an event that never occurs");
    if (outcome->failure) std::rethrow_exception(outcome->failure);
}

}  // namespace muster::sim
