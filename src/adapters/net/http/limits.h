#pragma once

#include "base/time.h"

#include <chrono>
#include <cstddef>

namespace muster::net::http {

// Limits of all resources that a client can use up.
struct limits {
    std::size_t header_bytes_max = std::size_t{16} * 1024;
    std::size_t fields_max = 100;
    std::size_t body_bytes_max = std::size_t{1024} * 1024;  // a route may allow more or less
    std::size_t connections_max = 15'000;  // below the usual limit of 20,000 descriptors
    std::size_t connections_per_address_max = 2'000;

    monotonic::duration handshake_time = std::chrono::seconds(10);
    monotonic::duration first_byte_time = std::chrono::seconds(10);  // on a new connection
    monotonic::duration header_time = std::chrono::seconds(10);   // from its first byte to its last
    monotonic::duration body_time = std::chrono::seconds(60);     // a request's whole body
    monotonic::duration handler_time = std::chrono::seconds(90);  // from the head to a response
    monotonic::duration idle_time = std::chrono::seconds(90);     // between two requests
    monotonic::duration write_stall_time = std::chrono::seconds(30);  // a client that reads nothing

    // After an early response the server still reads the rest of the request for this time.
    // Closing a socket with unread bytes makes the kernel discard the response.
    monotonic::duration linger_time = std::chrono::seconds(2);
    std::size_t linger_bytes_max = std::size_t{256} * 1024;

    monotonic::duration event_heartbeat = std::chrono::seconds(15);
    // Interval between deadline checks: a deadline may be late by this much.
    monotonic::duration deadline_sweep = std::chrono::milliseconds(250);
    // Pause after accept() failed for lack of descriptors.
    monotonic::duration accept_pause = std::chrono::milliseconds(100);
    int listen_backlog = 4096;
};

}  // namespace muster::net::http
