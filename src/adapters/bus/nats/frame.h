#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::nats {

struct outgoing_message {
    std::string subject;
    std::string payload;
    std::string message_id;  // JetStream stores the same id once
};

struct incoming_message {
    std::string subject;
    std::string reply;
    std::string payload;
    std::string message_id;
    int status = 0;  // not zero: a status of the server instead of a response
    std::string status_text;
};

inline constexpr int no_responders = 503;

// The numbers in the reply subject of a delivery.
struct delivery_mark {
    std::uint32_t attempt = 0;
    std::uint64_t stream_sequence = 0;
    std::uint64_t consumer_sequence = 0;  // counts all deliveries of a consumer, without gaps

    friend bool operator==(const delivery_mark&, const delivery_mark&) = default;
};

// "$JS.ACK.<stream>.<consumer>.<attempt>.<stream sequence>.<consumer sequence>.<time>.<pending>",
// or with domain and account after "$JS.ACK". Nothing for other subjects.
std::optional<delivery_mark> read_delivery_mark(std::string_view reply_subject);

}  // namespace muster::nats
