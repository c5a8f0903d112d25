#include "sim/engines/contract_fixture.h"

namespace muster::sim {

using namespace std::chrono_literals;

network_options contract_environment::bad_network() {
    return {
        .slow_per_mille = 10,
        .delay_slow_max = 100ms,
        .loss_per_mille = 10,
        .duplicate_per_mille = 20,
        .reorder_per_mille = 50};
}

process& contract_environment::add_client() {
    const std::string name = "client" + std::to_string(++clients_);
    process& host = cluster.add({.name = name, .clock = cluster.draw_clock(name), .disk = {}}, {});
    host.start();
    return host;
}

boost::asio::awaitable<void> contract_environment::kill(process& engine) {
    if (engine.running()) engine.crash();
    co_return;
}

boost::asio::awaitable<void> contract_environment::restart(process& engine) {
    if (!engine.running()) engine.start();
    co_return;
}

boost::asio::awaitable<void> contract_environment::cut(process& engine) {
    cluster.isolate(engine.name(), direction::both);
    co_return;
}

boost::asio::awaitable<void> contract_environment::heal() {
    cluster.network.heal();
    co_return;
}

boost::asio::awaitable<void> contract_environment::change_leader(process& engine) {
    engine.ask_to_stop();
    co_return;
}

}  // namespace muster::sim
