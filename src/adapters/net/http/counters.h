#pragma once

#include "base/time.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace muster::net::http {

// What a server has seen since it started, for /metrics. Written by all loops, read by anybody:
// each number is exact, the set of them is not a snapshot of one moment.
struct counters {
    using count = std::atomic<std::uint64_t>;

    count requests = 0;
    std::array<count, 5> answers_by_class{};  // 1xx to 5xx at index 0 to 4
    count connections_accepted = 0;
    count connections_now = 0;
    count refused_in_all = 0;       // over limits::connections_max
    count refused_per_address = 0;  // over limits::connections_per_address_max
    count accept_failures = 0;
    count handshake_failures = 0;
    count deadlines_passed = 0;       // connections cut for being too slow
    count handler_failures = 0;       // handlers that threw
    count handlers_too_late = 0;      // handlers ended after limits::answer_time
    count answers_timed = 0;          // requests whose head was understood
    count answering_nanoseconds = 0;  // of all of them, from the head to the answer
    count bytes_received = 0;
    count bytes_sent = 0;

    void answered(unsigned status) {
        add(requests, 1);
        if (status >= 100 && status < 600) add(answers_by_class.at(status / 100 - 1), 1);
    }

    // From a request's head to its answer: its body was received in between.
    void took(monotonic::duration span) {
        add(answers_timed, 1);
        add(answering_nanoseconds, static_cast<std::uint64_t>(span.count()));
    }

    static void add(count& count, std::uint64_t amount) {
        count.fetch_add(amount, std::memory_order_relaxed);
    }
};

}  // namespace muster::net::http
