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

// Connections of one process over the simulated network, like TCP: bytes arrive complete and in
// order while a connection is open, whatever happens to packets. When it breaks, bytes in flight
// can be lost, and the peer may notice only when it sends. A packet of a closed connection never
// reaches another one.
//
// Belongs to a process and is destroyed at its crash.
class streams {
public:
    using id = std::uint64_t;  // unique within a simulation

    struct options {
        monotonic::duration resend = std::chrono::milliseconds(250);
        monotonic::duration timeout = std::chrono::seconds(8);  // without a confirmation
        std::size_t unconfirmed_max = 10'000;                   // pieces; then it breaks
    };
    struct callbacks {
        std::function<void(id)> opened;  // by a peer
        std::function<void(id, std::string_view)> received;
        std::function<void(id)> ended;  // not called after close() or drop()
    };

    streams(sim::cluster& cluster, process& host, callbacks callbacks, options options);

    id open(address to);
    void send(id id, std::string bytes);
    void close(id id);  // after the bytes sent so far; no callbacks follow
    void drop(id id);   // without notifying the peer
    bool is_open(id id) const { return connections_.contains(id); }

private:
    struct piece {
        std::uint64_t number = 0;
        std::string bytes;
        bool last = false;
    };
    struct connection {
        address peer;
        std::uint64_t acceptance = 0;  // zero: not accepted yet
        std::uint64_t next_out = 0;
        std::uint64_t next_in = 0;
        std::deque<piece> unconfirmed;
        instant last_progress{};  // last confirmation by the peer
        bool closing = false;
        bool timer_runs = false;
    };
    using connection_map = std::map<id, connection>;

    std::uint64_t next_number();
    void receive(address from, std::string_view bytes);
    void enqueue(id id, connection& connection, std::string bytes, bool last);
    void transmit(id id, const connection& connection, const piece& piece);
    void transmit_all(id id, const connection& connection);
    void resend_later(id id, connection& connection);
    void resend(id id);
    void end(connection_map::iterator iterator);
    void on_accepted(id id, std::uint64_t acceptance);
    void on_piece(
        id id, connection& connection, std::uint64_t number, bool last, std::string_view bytes);
    void on_confirmed(id id, connection& connection, std::uint64_t below);

    cluster& cluster_;
    process& host_;
    life& life_;
    address own_address_;
    callbacks callbacks_;
    options options_;
    std::uint64_t last_number_ = 0;
    connection_map connections_;
};

}  // namespace muster::sim
