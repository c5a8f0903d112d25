#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::stream {

// `subject` is dotted words ("muster.zone.default.slots"). It is also the ordering key: messages
// of one subject reach each consumer in the order they were published.
struct message {
    std::string subject;
    std::string payload;
    std::string id;  // publishing the same id again within the deduplication span stores nothing

    friend bool operator==(const message&, const message&) = default;
};

// One delivery of a message to a durable consumer. Repeated until acknowledged.
struct delivery {
    stream::message message;
    std::uint64_t sequence = 0;  // position in the stream; identifies the message
    std::uint32_t attempt = 1;   // grows with each repeated delivery

    friend bool operator==(const delivery&, const delivery&) = default;
};

struct limits {
    static constexpr std::size_t subject_bytes_max = 256;
    static constexpr std::size_t subject_words_max = 16;
    static constexpr std::size_t id_bytes_max = 128;
    static constexpr std::size_t payload_bytes_max = 512 * std::size_t{1024};
    static constexpr std::size_t fetch_messages_max = 1000;
};

// errc::invalid when the message exceeds a limit or has a malformed subject or id.
result<void> validate(const message& message);

// errc::invalid unless 1 <= messages_max <= limits::fetch_messages_max.
result<void> validate_fetch(std::size_t messages_max);

}  // namespace muster::stream
