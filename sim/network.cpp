#include "sim/network.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::sim {

network::network(world& where, network_options options)
    : where_(where), options_(options), random_(where.random("network")) {}

address network::join(std::string name) {
    const address result(static_cast<std::int64_t>(sockets_.size()) + 1);
    sockets_.push_back(
        {.name = std::move(name), .host = result, .whose = nullptr, .on_packet = {}});
    return result;
}

address network::open_port(address host) {
    const address result = join(name_of(host));
    at(result).host = host;
    return result;
}

bool network::is_cut(link way) {
    return !cuts_.empty() && cuts_.contains(link(at(way.first).host, at(way.second).host));
}

network::socket& network::at(address address) {
    return sockets_.at(static_cast<std::size_t>(address.value() - 1));
}

const std::string& network::name_of(address address) const {
    return sockets_.at(static_cast<std::size_t>(address.value() - 1)).name;
}

void network::listen(address address, life& whose, receiver on_packet) {
    socket& socket = at(address);
    socket.whose = &whose;
    socket.on_packet = std::move(on_packet);
}

void network::cut(address who, address other, direction which) {
    where_.note("cut", name_of(who), static_cast<std::uint64_t>(other.value()));
    if (which != direction::inbound) cuts_.emplace(who, other);
    if (which != direction::outbound) cuts_.emplace(other, who);
}

void network::heal() {
    where_.note("heal", "network", cuts_.size());
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
    const link way(from, to);
    if (is_cut(way) || random_.chance(options_.loss_per_mille)) {
        where_.note("lost", name_of(from), digest(bytes));
        return;
    }
    where_.note("send", name_of(from), digest(bytes));
    if (random_.chance(options_.duplicate_per_mille)) deliver_later(way, bytes);
    deliver_later(way, std::move(bytes));
}

monotonic::duration network::draw_delay() {
    const bool slow = random_.chance(options_.slow_per_mille);
    const auto spread = slow ? options_.delay_slow_max : options_.delay_spread;
    const auto drawn = random_.below(static_cast<std::uint64_t>(spread.count()) + 1);
    return options_.delay_min + monotonic::duration(static_cast<monotonic::rep>(drawn));
}

void network::deliver_later(link way, std::string bytes) {
    instant arrival = where_.now() + draw_delay();
    if (!random_.chance(options_.reorder_per_mille)) {
        instant& last = last_arrival_[way];
        arrival = last = std::max(arrival, last);
    }
    where_.at(
        where_.kernel(), arrival, [this, way, bytes = std::move(bytes)] { deliver(way, bytes); });
}

// The packet is handed over as an event of the receiver's life, so that a paused process gets it
// when it goes on, and a dead one never.
void network::deliver(link way, const std::string& bytes) {
    socket& receiving = at(way.second);
    if (receiving.whose == nullptr || !receiving.whose->alive) return;
    where_.note("deliver", receiving.name, digest(bytes));
    where_.post(*receiving.whose, [&receiving, from = way.first, bytes] {
        receiving.on_packet(from, bytes);
    });
}

}  // namespace muster::sim
