#include "sim/network.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::sim {

network::network(sim::simulation& simulation, network_options options)
    : simulation_(simulation), options_(options), random_(simulation.random("network")) {}

address network::join(std::string name) {
    const address result(static_cast<std::int64_t>(sockets_.size()) + 1);
    sockets_.push_back(
        {.name = std::move(name), .host = result, .owner = nullptr, .on_packet = {}});
    return result;
}

address network::open_port(address host) {
    const address result = join(name_of(host));
    at(result).host = host;
    return result;
}

bool network::is_cut(link route) {
    return !cuts_.empty() && cuts_.contains(link(at(route.first).host, at(route.second).host));
}

network::socket& network::at(address address) {
    return sockets_.at(static_cast<std::size_t>(address.value() - 1));
}

const std::string& network::name_of(address address) const {
    return sockets_.at(static_cast<std::size_t>(address.value() - 1)).name;
}

void network::listen(address address, life& owner, receiver on_packet) {
    socket& socket = at(address);
    socket.owner = &owner;
    socket.on_packet = std::move(on_packet);
}

void network::cut(address host, address other, direction cut_direction) {
    simulation_.note("cut", name_of(host), static_cast<std::uint64_t>(other.value()));
    if (cut_direction != direction::inbound) cuts_.emplace(host, other);
    if (cut_direction != direction::outbound) cuts_.emplace(other, host);
}

void network::heal() {
    simulation_.note("heal", "network", cuts_.size());
    cuts_.clear();
}

void network::calm() {
    options_.loss_per_mille = 0;
    options_.duplicate_per_mille = 0;
    options_.reorder_per_mille = 0;
    options_.slow_per_mille = 0;
}

void network::send(address from, address to, std::string bytes) {
    ++sent_;
    const link route(from, to);
    if (is_cut(route) || random_.chance(options_.loss_per_mille)) {
        simulation_.note("lost", name_of(from), digest(bytes));
        return;
    }
    simulation_.note("send", name_of(from), digest(bytes));
    if (random_.chance(options_.duplicate_per_mille)) deliver_later(route, bytes);
    deliver_later(route, std::move(bytes));
}

monotonic::duration network::draw_delay() {
    const bool slow = random_.chance(options_.slow_per_mille);
    const auto spread = slow ? options_.delay_slow_max : options_.delay_spread;
    const auto drawn = random_.below(static_cast<std::uint64_t>(spread.count()) + 1);
    return options_.delay_min + monotonic::duration(static_cast<monotonic::rep>(drawn));
}

void network::deliver_later(link route, std::string bytes) {
    instant arrival = simulation_.now() + draw_delay();
    if (!random_.chance(options_.reorder_per_mille)) {
        instant& last = last_arrival_[route];
        arrival = last = std::max(arrival, last);
    }
    simulation_.at(simulation_.kernel(), arrival, [this, route, bytes = std::move(bytes)] {
        deliver(route, bytes);
    });
}

// Delivers the packet as an event of the receiver: a paused process gets it when it resumes, a dead
// one never.
void network::deliver(link route, const std::string& bytes) {
    socket& receiving = at(route.second);
    if (receiving.owner == nullptr || !receiving.owner->alive) return;
    simulation_.note("deliver", receiving.name, digest(bytes));
    simulation_.post(*receiving.owner, [&receiving, from = route.first, bytes] {
        receiving.on_packet(from, bytes);
    });
}

}  // namespace muster::sim
