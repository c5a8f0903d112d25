#include "sim/contract_world.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

namespace muster::sim {

contract_world::contract_world(cluster& stage)
    : stage_(stage), tester_(stage.add({.name = "tester", .clock = {}, .disk = {}}, {})) {
    tester_.start();
}

void contract_world::run(boost::asio::awaitable<void> scenario) {
    struct outcome {
        bool ended = false;
        std::exception_ptr failure;
    };
    const auto observed = std::make_shared<outcome>();
    boost::asio::co_spawn(
        tester_.executor(),
        std::move(scenario),
        boost::asio::bind_executor(tester_.executor(), [observed](std::exception_ptr thrown) {
            observed->ended = true;
            observed->failure = std::move(thrown);
        }));
    const instant end = stage_.world.now() + scenario_time_max;
    while (!observed->ended && stage_.world.step(end)) {}
    if (!observed->ended)
        throw std::runtime_error("the scenario waits for something that never comes");
    if (observed->failure) std::rethrow_exception(observed->failure);
}

}  // namespace muster::sim
