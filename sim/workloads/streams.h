#pragma once

#include "sim/cluster.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace muster::sim {

// Connections of one process over the simulated network, as TCP gives them: bytes arrive in order
// and whole while a connection stands, whatever becomes of packets. When it breaks, what was under
// way may be lost, and the other end may not hear of it before it speaks. A packet of a connection
// that is no more never reaches another one.
//
// Lives in a process and dies with it.
class streams {
public:
    using id = std::uint64_t;  // no two of one world are alike

    struct options {
        monotonic::duration resend = std::chrono::milliseconds(250);
        monotonic::duration timeout = std::chrono::seconds(8);  // of bytes that nobody confirms
        std::size_t unconfirmed_max = 10'000;                   // pieces; then it breaks
    };
    struct callbacks {
        std::function<void(id)> opened;  // by a peer
        std::function<void(id, std::string_view)> received;
        std::function<void(id)> ended;  // not told of those that were closed or dropped here
    };

    streams(cluster& stage, process& host, callbacks callbacks, options options);

    id open(address to);
    void send(id id, std::string bytes);
    void close(id id);  // after what was sent; nothing is heard of it any more
    void drop(id id);   // without a word to the other end
    bool stands(id id) const { return all_.contains(id); }

private:
    struct piece {
        std::uint64_t number = 0;
        std::string bytes;
        bool last = false;
    };
    struct connection {
        address peer;
        std::uint64_t meeting = 0;  // of this acceptance; zero: nobody has accepted it yet
        std::uint64_t next_out = 0;
        std::uint64_t next_in = 0;
        std::deque<piece> unconfirmed;
        instant moved{};  // when the peer last confirmed something
        bool closing = false;
        bool timer_runs = false;
    };
    using connection_map = std::map<id, connection>;

    std::uint64_t next_number();
    void receive(address from, std::string_view bytes);
    void put(id id, connection& of, std::string bytes, bool last);
    void transmit(id id, const connection& of, const piece& piece);
    void transmit_all(id id, const connection& of);
    void resend_later(id id, connection& of);
    void resend(id id);
    void end(connection_map::iterator iterator);
    void met(id id, std::uint64_t meeting);
    void arrived(id id, connection& of, std::uint64_t number, bool last, std::string_view bytes);
    void confirmed(id id, connection& of, std::uint64_t below);

    cluster& stage_;
    process& host_;
    life& life_;
    address own_;
    callbacks told_;
    options options_;
    std::uint64_t made_ = 0;
    connection_map all_;
};

}  // namespace muster::sim
