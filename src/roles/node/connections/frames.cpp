#include "roles/node/connections/frames.h"

#include <chrono>
#include <cstdint>

namespace muster::node {
namespace {

using muster::agent_protocol::Frame;

std::uint32_t milliseconds(monotonic::duration span) {
    return static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

template <class Message>
void fill(Message& out, const session::refusal& refusal) {
    out.set_reason(static_cast<muster::agent_protocol::Reason>(refusal.why));
    out.set_address(refusal.address);
    out.set_retry_after_ms(milliseconds(refusal.retry_after));
}

}  // namespace

Frame welcome_frame(
    const session::welcome& welcome, const session::node_terms& terms, const std::string& node) {
    Frame frame;
    auto& out = *frame.mutable_welcome();
    out.set_heartbeat_ms(milliseconds(terms.heartbeat));
    out.set_silence_ms(milliseconds(terms.silence));
    out.set_epoch(welcome.since.value());
    out.set_system(welcome.system.value());
    out.set_node(node);
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

Frame beat_frame(const session::send_beat& send_beat) {
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
