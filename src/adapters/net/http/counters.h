#pragma once

#include "base/time.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace muster::net::http {

// Counts what a server did since its start, for /metrics. Thread-safe. Each number is exact; the
// numbers together are no snapshot of one moment.
struct counters {
    using count = std::atomic<std::uint64_t>;

    count requests = 0;
    std::array<count, 5> responses_by_class{};  // 1xx to 5xx at index 0 to 4
    count connections_accepted = 0;
    count connections_open = 0;
    count refused_total = 0;        // over limits::connections_max
    count refused_per_address = 0;  // over limits::connections_per_address_max
    count accept_failures = 0;
    count handshake_failures = 0;
    count deadlines_passed = 0;      // connections cut for being too slow
    count handler_failures = 0;      // handlers that threw
    count handlers_timed_out = 0;    // handlers ended after limits::handler_time
    count responses_timed = 0;       // requests with a valid head
    count response_nanoseconds = 0;  // their sum, from the head to the response
    count bytes_received = 0;
    count bytes_sent = 0;

    void count_response(unsigned status) {
        add(requests, 1);
        if (status >= 100 && status < 600) add(responses_by_class.at(status / 100 - 1), 1);
    }

    // Time from a request's head to its response; includes receiving the body.
    void add_response_time(monotonic::duration duration) {
        add(responses_timed, 1);
        add(response_nanoseconds, static_cast<std::uint64_t>(duration.count()));
    }

    static void add(count& count, std::uint64_t amount) {
        count.fetch_add(amount, std::memory_order_relaxed);
    }
};

}  // namespace muster::net::http
