#pragma once

#include "base/number.h"
#include "base/prng.h"
#include "base/time.h"
#include "sim/world.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace muster::sim {

using address = number<struct address_tag>;

// All the ways in which the network misbehaves by itself. Partitions are made by cut().
struct network_options {
    monotonic::duration delay_min = std::chrono::microseconds(100);
    monotonic::duration delay_spread = std::chrono::microseconds(900);
    std::uint32_t slow_per_mille = 5;  // these packets take up to delay_slow_max
    monotonic::duration delay_slow_max = std::chrono::milliseconds(300);
    std::uint32_t loss_per_mille = 0;
    std::uint32_t duplicate_per_mille = 0;
    std::uint32_t reorder_per_mille = 0;  // the rest arrive in order, link by link
};

enum class direction : std::uint8_t { both, outbound, inbound };

// Datagrams between the processes of one world. Not a promise is made about any of them.
class network {
public:
    using receiver = std::function<void(address from, std::string bytes)>;

    network(world& where, network_options options);

    // A new host on the network.
    address join(std::string name);
    // Another place to listen at on the same host, cut off together with it.
    address open_port(address host);
    const std::string& name_of(address address) const;

    // Packets for `who` go to this receiver while `whose` lives; the last one to listen hears.
    void listen(address address, life& whose, receiver on_packet);
    void send(address from, address to, std::string bytes);

    // No packet passes between the hosts `who` and `other` in that direction, seen from `who`.
    void cut(address who, address other, direction which);
    void heal();

    // From now on packets are neither lost, doubled, reordered nor slow.
    void calm();

    std::uint64_t packets_sent() const { return sent_; }

private:
    struct socket {
        std::string name;
        address host;
        life* whose = nullptr;
        receiver on_packet;
    };
    using link = std::pair<address, address>;

    monotonic::duration draw_delay();
    void deliver_later(link way, std::string bytes);
    void deliver(link way, const std::string& bytes);
    socket& at(address address);
    bool is_cut(link way);

    world& where_;
    network_options options_;
    prng& random_;
    std::deque<socket> sockets_;
    std::set<link> cuts_;
    std::map<link, instant> last_arrival_;
    std::uint64_t sent_ = 0;
};

}  // namespace muster::sim
