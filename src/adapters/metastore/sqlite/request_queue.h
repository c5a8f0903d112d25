#pragma once

#include "adapters/metastore/sqlite/request.h"
#include "base/time.h"
#include "ports/limit_hits.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace muster::metastore_sqlite {

struct queue_limits {
    std::size_t requests_max;
    std::size_t bytes_max;
    std::size_t group_requests_max;
    std::size_t group_bytes_max;
};

// The requests that wait for the store thread. Any thread may push, one pops. A full or closed
// queue refuses requests.
class request_queue {
public:
    using group = std::vector<std::unique_ptr<request>>;

    explicit request_queue(queue_limits limits) : limits_(limits) {}

    void push(std::unique_ptr<request> request);
    void push_closed_watch(std::uint64_t watch);

    struct popped_work {
        group requests = {};
        std::vector<std::uint64_t> closed_watches = {};
        bool closed = false;
    };

    // Pops requests in order, up to the limits of a group. Waits at most `timeout`; without a
    // timeout, until there is work.
    popped_work pop(std::optional<monotonic::duration> timeout);

    void close();

    limit_hits hits() const { return hits_.read(); }

private:
    std::optional<error> try_push(
        std::unique_ptr<request>& request);  // takes it when there is room
    std::optional<error> find_refusal(std::size_t bytes);

    queue_limits limits_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<request>> requests_;
    std::size_t bytes_ = 0;
    std::vector<std::uint64_t> closed_watches_;
    bool closed_ = false;
    limit_counter hits_;
};

}  // namespace muster::metastore_sqlite
