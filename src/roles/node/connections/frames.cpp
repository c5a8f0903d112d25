#include "roles/node/connections/frames.h"

#include <chrono>
#include <cstdint>

namespace muster::node {
namespace {

using muster::agent_protocol::Frame;

std::uint32_t milliseconds(monotonic::duration duration) {
    return static_cast<std::uint32_t>(
        std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

template <class Message>
void fill(Message& message, const session::refusal& refusal) {
    message.set_reason(static_cast<muster::agent_protocol::Reason>(refusal.why));
    message.set_address(refusal.address);
    message.set_retry_after_ms(milliseconds(refusal.retry_after));
}

}  // namespace

Frame welcome_frame(
    const session::welcome& welcome,
    const session::node_session_options& terms,
    const std::string& node) {
    Frame frame;
    auto& message = *frame.mutable_welcome();
    message.set_heartbeat_ms(milliseconds(terms.heartbeat_interval));
    message.set_silence_ms(milliseconds(terms.heartbeat_timeout));
    message.set_epoch(welcome.since.value());
    message.set_system(welcome.system.value());
    message.set_node(node);
    return frame;
}

Frame refusal_frame(const session::refusal& refusal) {
    Frame frame;
    fill(*frame.mutable_refusal(), refusal);
    return frame;
}

Frame goodbye_frame(const session::refusal& refusal) {
    Frame frame;
    fill(*frame.mutable_goodbye(), refusal);
    return frame;
}

Frame beat_frame(const session::send_heartbeat_reply& send_beat) {
    Frame frame;
    frame.mutable_beat()->set_sequence(send_beat.sequence);
    frame.mutable_beat()->set_fenced(send_beat.fenced);
    return frame;
}

Frame facts_taken_frame(const std::string& digest) {
    Frame frame;
    frame.mutable_facts_taken()->set_digest(digest);
    return frame;
}

Frame facts_wanted_frame() {
    Frame frame;
    frame.mutable_facts_taken()->set_wanted(true);
    return frame;
}

}  // namespace muster::node
