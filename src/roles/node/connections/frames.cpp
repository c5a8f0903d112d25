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
void fill(Message& out, const session::refusal& what) {
    out.set_reason(static_cast<muster::agent_protocol::Reason>(what.why));
    out.set_address(what.address);
    out.set_retry_after_ms(milliseconds(what.retry_after));
}

}  // namespace

Frame welcome_frame(
    const session::welcome& what, const session::node_terms& terms, const std::string& node) {
    Frame frame;
    auto& out = *frame.mutable_welcome();
    out.set_heartbeat_ms(milliseconds(terms.heartbeat));
    out.set_silence_ms(milliseconds(terms.silence));
    out.set_epoch(what.since.value());
    out.set_system(what.system.value());
    out.set_node(node);
    return frame;
}

Frame refusal_frame(const session::refusal& what) {
    Frame frame;
    fill(*frame.mutable_refusal(), what);
    return frame;
}

Frame goodbye_frame(const session::refusal& what) {
    Frame frame;
    fill(*frame.mutable_goodbye(), what);
    return frame;
}

Frame beat_frame(const session::send_beat& what) {
    Frame frame;
    frame.mutable_beat()->set_sequence(what.sequence);
    frame.mutable_beat()->set_fenced(what.fenced);
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
