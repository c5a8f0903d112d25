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

// What a link has to send, in order, and the requests whose answers it waits for. A request that is
// over, however it ended, is sent no more and takes no room. Requests and messages without an
// answer have limits of their own: neither can crowd out the other. Not thread-safe.
class outbox {
public:
    struct limits {
        std::size_t requests_max;
        std::size_t request_bytes_max;
        std::size_t messages_max;
        std::size_t message_bytes_max;
    };

    struct letter {
        std::uint64_t number = 0;
        outgoing what;
        std::string reply;
        bool request = false;
    };

    // A request that is over.
    struct call {
        completion<incoming> done;
        bool sent = false;
    };

    struct load {
        std::size_t letters = 0;
        std::size_t bytes = 0;

        friend bool operator==(const load&, const load&) = default;
    };

    // Answers are asked for under `inbox` and the number of the request.
    outbox(std::string inbox, limits bounds) : inbox_(std::move(inbox)), limits_(bounds) {}

    // Both take what they are given when there is room; otherwise they leave it and say no. A
    // request without a subject goes to where its answer would.
    [[nodiscard]] bool ask(outgoing& outgoing, completion<incoming>& done, instant deadline);
    [[nodiscard]] bool tell(outgoing& outgoing, std::string& reply);

    // The next one to send. A request counts as sent from now on, unless it is put back.
    std::optional<letter> next();
    void put_back(letter unsent);

    std::optional<call> answered(const std::string& subject);
    std::optional<call> take(std::uint64_t request);
    std::vector<call> take_overdue(instant now);
    std::vector<call> take_sent();
    std::vector<call> take_all();

    std::optional<instant> next_deadline() const;
    load unsent() const { return {.letters = queue_.size(), .bytes = queued_bytes_}; }

private:
    struct pending {
        completion<incoming> done;
        instant deadline;
        std::size_t bytes = 0;
        bool sent = false;
    };

    void enqueue(letter letter);
    letter unqueue(std::map<std::uint64_t, letter>::iterator at);

    std::string inbox_;
    limits limits_;
    std::uint64_t last_number_ = 0;
    std::map<std::uint64_t, letter> queue_;
    std::size_t queued_bytes_ = 0;
    std::size_t messages_ = 0;  // of the queue, without an answer
    std::size_t message_bytes_ = 0;
    std::map<std::uint64_t, pending> pending_;
    std::size_t pending_bytes_ = 0;
    std::set<std::pair<instant, std::uint64_t>> deadlines_;
};

}  // namespace muster::nats
