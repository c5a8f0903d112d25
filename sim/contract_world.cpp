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
    const auto seen = std::make_shared<outcome>();
    boost::asio::co_spawn(
        tester_.executor(),
        std::move(scenario),
        boost::asio::bind_executor(tester_.executor(), [seen](std::exception_ptr thrown) {
            seen->ended = true;
            seen->failure = std::move(thrown);
        }));
    const instant end = stage_.world.now() + scenario_time_max;
    while (!seen->ended && stage_.world.step(end)) {}
    if (!seen->ended) throw std::runtime_error("the scenario waits for something that never comes");
    if (seen->failure) std::rethrow_exception(seen->failure);
}

}  // namespace muster::sim
