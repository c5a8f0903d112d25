#pragma once

#include "base/number.h"
#include "base/prng.h"
#include "base/time.h"
#include "sim/simulation.h"

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

// Faults of the network itself. cut() makes partitions.
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

// Datagrams between the processes of one simulation. They can be lost, duplicated, delayed or
// reordered.
class network {
public:
    using receiver = std::function<void(address from, std::string bytes)>;

    network(sim::simulation& simulation, network_options options);

    // A new host on the network.
    address join(std::string name);
    // Another port on the same host; it is cut off together with the host.
    address open_port(address host);
    const std::string& name_of(address address) const;

    // Delivers packets for `address` to this receiver while `owner` lives. The last receiver
    // replaces earlier ones.
    void listen(address address, life& owner, receiver on_packet);
    void send(address from, address to, std::string bytes);

    // Drops packets between `host` and `other` in that direction, seen from `host`.
    void cut(address host, address other, direction cut_direction);
    void heal();

    // Stops loss, duplication, reordering and slow packets.
    void calm();

    std::uint64_t packets_sent() const { return sent_; }

private:
    struct socket {
        std::string name;
        address host;
        life* owner = nullptr;
        receiver on_packet;
    };
    using link = std::pair<address, address>;

    monotonic::duration draw_delay();
    void deliver_later(link route, std::string bytes);
    void deliver(link route, const std::string& bytes);
    socket& at(address address);
    bool is_cut(link route);

    sim::simulation& simulation_;
    network_options options_;
    prng& random_;
    std::deque<socket> sockets_;
    std::set<link> cuts_;
    std::map<link, instant> last_arrival_;
    std::uint64_t sent_ = 0;
};

}  // namespace muster::sim
