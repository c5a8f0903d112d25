#pragma once

#include "adapters/bus/nats/frame.h"
#include "base/time.h"
#include "ports/async.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::nats {

// The messages that a client has to send, in order, and the requests without a response yet. An
// ended request is removed: it is not sent any more and does not count. Requests and messages
// without a response have separate limits, so neither crowds out the other. Not thread-safe.
class outbox {
public:
    struct limits {
        std::size_t requests_max;
        std::size_t request_bytes_max;
        std::size_t messages_max;
        std::size_t message_bytes_max;
    };

    struct queued_message {
        std::uint64_t number = 0;
        outgoing_message message;
        std::string reply;
        bool request = false;
    };

    // A request that was removed from the outbox; `done` is to be called.
    struct ended_request {
        completion<incoming_message> done;
        bool sent = false;
    };

    struct queue_load {
        std::size_t messages = 0;
        std::size_t bytes = 0;

        friend bool operator==(const queue_load&, const queue_load&) = default;
    };

    // The reply subject of a request is `inbox` and its number.
    outbox(std::string inbox, limits limits) : inbox_(std::move(inbox)), limits_(limits) {}

    // Both move from their arguments if the limits allow it; otherwise they change nothing and
    // return false. A request without a subject is sent to its own reply subject.
    [[nodiscard]] bool add_request(
        outgoing_message& message, completion<incoming_message>& done, instant deadline);
    [[nodiscard]] bool add_message(outgoing_message& message, std::string& reply);

    // Removes the next message to send. A request counts as sent from now on, unless it is put
    // back.
    std::optional<queued_message> next();
    void put_back(queued_message unsent);

    std::optional<ended_request> end_answered(const std::string& subject);
    std::optional<ended_request> end_request(std::uint64_t request);
    std::vector<ended_request> end_overdue(instant now);
    std::vector<ended_request> end_sent();
    std::vector<ended_request> end_all();

    std::optional<instant> next_deadline() const;
    queue_load unsent() const { return {.messages = queue_.size(), .bytes = queued_bytes_}; }

private:
    struct pending {
        completion<incoming_message> done;
        instant deadline;
        std::size_t bytes = 0;
        bool sent = false;
    };

    void enqueue(queued_message entry);
    queued_message dequeue(std::map<std::uint64_t, queued_message>::iterator it);

    std::string inbox_;
    limits limits_;
    std::uint64_t last_number_ = 0;
    std::map<std::uint64_t, queued_message> queue_;
    std::size_t queued_bytes_ = 0;
    std::size_t messages_ = 0;  // in the queue, without requests
    std::size_t message_bytes_ = 0;
    std::map<std::uint64_t, pending> pending_;
    std::size_t pending_bytes_ = 0;
    std::set<std::pair<instant, std::uint64_t>> deadlines_;
};

}  // namespace muster::nats
