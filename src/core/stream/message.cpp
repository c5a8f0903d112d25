#include "core/stream/message.h"

#include "core/stream/subject.h"

#include <algorithm>

namespace muster::stream {

namespace {

bool is_visible(char letter) {
    return letter > ' ' && letter <= '~';
}

}  // namespace

result<void> validate(const message& message) {
    CHECK_OK(validate_subject(message.subject));
    if (message.payload.size() > limits::payload_bytes_max) {
        return fail(
            errc::invalid,
            "payload of " + std::to_string(message.payload.size()) + " bytes on " + message.subject
                + " is larger than " + std::to_string(limits::payload_bytes_max)
                + "; send a reference to the data instead");
    }
    if (message.id.size() > limits::id_bytes_max || !std::ranges::all_of(message.id, is_visible)) {
        return fail(
            errc::invalid,
            "message id on " + message.subject + " must be at most "
                + std::to_string(limits::id_bytes_max) + " visible ASCII characters");
    }
    return {};
}

result<void> validate_fetch(std::size_t messages_max) {
    if (messages_max >= 1 && messages_max <= limits::fetch_messages_max) return {};
    return fail(
        errc::invalid,
        "cannot fetch " + std::to_string(messages_max) + " messages; request 1 to "
            + std::to_string(limits::fetch_messages_max));
}

}  // namespace muster::stream
