#include "apps/agent/service/node_connection.h"

#include "adapters/pki/agent_proof.h"
#include "ports/deadline.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::agent {

using session::agent_session;
using session::reason;

namespace {

constexpr std::chrono::seconds connect_time{10};
constexpr std::chrono::seconds write_time{20};
constexpr std::size_t read_bytes = std::size_t{16} * 1024;
constexpr std::size_t chunk_bytes = std::size_t{16} * 1024;  // within write_time
constexpr std::size_t bulk_frames_max = 8;
constexpr std::size_t output_frames_max = 4;

bool push(
    std::deque<std::string>& queue, const agent_protocol::Frame& frame, std::size_t frames_max) {
    if (queue.size() >= frames_max) return false;
    queue.push_back(agent_protocol::encode(frame));
    return true;
}

reason to_reason(agent_protocol::Reason value) {
    const auto number = static_cast<int>(value);
    const bool known = number >= 0 && number <= static_cast<int>(reason::replaced);
    return known ? static_cast<reason>(number) : reason::unknown;
}

template <class Message>
session::disconnect to_ending(const Message& message) {
    return {
        .why = to_reason(message.reason()),
        .address = message.address(),
        .retry_after = std::chrono::milliseconds(message.retry_after_ms())};
}

// The first minutes are the most informative; later reports can be rare.
constexpr std::uint64_t first_report_beats = 3;
constexpr std::uint64_t report_interval_beats = 360;

bool should_report(std::uint64_t beats) {
    return beats == first_report_beats || (beats > 0 && beats % report_interval_beats == 0);
}

}  // namespace

node_connection::node_connection(
    options options, node_connection_listener& listener, muster::clock& clock)
    : options_(std::move(options)),
      listener_(listener),
      clock_(clock),
      session_(*this, session::agent_session_options{}, clock.now()) {}

boost::asio::awaitable<session::disconnect> node_connection::run() {
    auto stream = co_await within(
        clock_,
        connect_time,
        net::connect({.address = options_.address, .tls = options_.tls, .proxy = options_.proxy}));
    if (!stream) {
        failure_ = to_string(stream.error());
        co_return ending_;
    }
    stream_ = *std::move(stream);
    if (closed_) co_return ending_;
    session_.restart(session::agent_session_options{}, now());
    session_.feed(&agent_session::open);
    co_await serve();
    stream_->close();
    co_return ending_;
}

result<agent_protocol::Frame> node_connection::build_hello() const {
    if (stream_->protocol() != "muster/1")
        return fail(
            errc::invalid,
            "server at the node's address does not support agent connections (muster/1)");
    TRY(const auto binding, stream_->channel_binding());
    TRY(const auto proof, pki::create_agent_proof(options_.key, binding));
    agent_protocol::Frame frame;
    auto& message = *frame.mutable_hello();
    message.set_proof(proof);
    message.set_version(MUSTER_VERSION);
    message.set_start(options_.start);
    message.set_facts_digest(options_.facts_digest);
    return frame;
}

// Sends queued frames first, then bulk frames, then output frames.
async<void> node_connection::flush() {
    while (!session_->is_ended() && (!outbox_.empty() || !bulk_.empty() || !output_.empty())) {
        std::string bytes = std::exchange(outbox_, std::string());
        if (bytes.empty()) {
            auto& queue = bulk_.empty() ? output_ : bulk_;
            bytes = std::move(queue.front());
            queue.pop_front();
        }
        CO_CHECK_OK(co_await write(std::move(bytes)));
    }
    co_return result<void>();
}

// A slow connection is fine while bytes move: each chunk has its own timeout.
async<void> node_connection::write(std::string bytes) {
    for (std::size_t offset = 0; offset < bytes.size() && !session_->is_ended();
         offset += chunk_bytes) {
        if (offset > 0) read_available();
        auto writing = stream_->write(bytes.substr(offset, chunk_bytes));
        CO_CHECK_OK(co_await within(clock_, write_time, std::move(writing)));
        // The first chunk may only have filled the system's buffers.
        if (offset > 0) session_.feed(&agent_session::on_bytes);
    }
    co_return result<void>();
}

// Between two chunks of a long frame: handles received frames and sends a due heartbeat.
void node_connection::read_available() {
    std::array<char, read_bytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const net::step step = stream_->try_read(buffer);
    if (step.state == net::progress::done) handle_bytes({buffer.data(), step.size});
    if (step.state == net::progress::ended)
        session_.feed(&agent_session::on_connection_lost, reason::closed);
    if (step.state == net::progress::broken)
        session_.feed(&agent_session::on_connection_lost, reason::broken);
    session_.feed(&agent_session::expire);
}

// Reads until the session's deadline and handles the frames. interrupt() ends the read early when
// there is something to send.
boost::asio::awaitable<void> node_connection::serve() {
    std::array<char, read_bytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (!session_->is_ended()) {
        const auto sent = co_await flush();
        if (!sent) {
            failure_ = to_string(sent.error());
            session_.feed(&agent_session::on_connection_lost, reason::broken);
            co_return;
        }
        const auto timeout = std::max(session_->deadline() - clock_.now(), monotonic::duration(1));
        reading_ = true;
        auto size = co_await within(clock_, timeout, stream_->read_some(buffer));
        reading_ = false;
        if (std::exchange(interrupted_to_send_, false) && !size) continue;
        if (size && *size == 0) {
            session_.feed(&agent_session::on_connection_lost, reason::closed);
        } else if (size) {
            handle_bytes({buffer.data(), *size});
        } else if (size.error().code() != errc::timed_out) {
            failure_ = to_string(size.error());
            session_.feed(&agent_session::on_connection_lost, reason::broken);
        }
        session_.feed(&agent_session::expire);
    }
}

void node_connection::handle_bytes(std::string_view bytes) {
    session_.feed(&agent_session::on_bytes);
    frames_.feed(bytes);
    while (!session_->is_ended()) {
        const auto frame = frames_.next();
        if (!frame) {
            failure_ = to_string(frame.error());
            session_.feed(&agent_session::on_malformed);
            return;
        }
        if (!*frame) break;
        handle(**frame);
    }
    listener_.read_done();
}

void node_connection::handle(const agent_protocol::Frame& frame) {
    switch (frame.kind_case()) {
        case agent_protocol::Frame::kWelcome: {
            const auto& message = frame.welcome();
            const session::heartbeat_options terms{
                .interval = std::chrono::milliseconds(message.heartbeat_ms()),
                .timeout = std::chrono::milliseconds(message.silence_ms())};
            session_.feed(&agent_session::on_welcome, terms);
            if (!session_->is_attached()) return;
            listener_.attached(
                {.node = message.node(),
                 .system = message.system(),
                 .facts_wanted = message.facts_wanted()});
            return;
        }
        case agent_protocol::Frame::kRefusal:
            return session_.feed(&agent_session::on_dismissed, to_ending(frame.refusal()));
        case agent_protocol::Frame::kGoodbye:
            return session_.feed(&agent_session::on_dismissed, to_ending(frame.goodbye()));
        case agent_protocol::Frame::kBeat:
            session_.feed(&agent_session::on_heartbeat, frame.beat().fenced());
            if (should_report(session_->quality().count)) listener_.measured(session_->quality());
            return;
        case agent_protocol::Frame::kFactsTaken: {
            session_.feed(&agent_session::on_frame);
            const auto& message = frame.facts_taken();
            if (session_->is_attached())
                listener_.facts_answered(message.digest(), message.wanted());
            return;
        }
        default:  // a task frame, a frame that only agents send, or a newer kind
            break;
    }
    if (session_->is_attached() && listener_.handle_frame(frame)) {
        session_.feed(&agent_session::on_frame);
    } else {
        session_.feed(&agent_session::on_malformed);
    }
}

void node_connection::perform(const session::send_hello& /*effect*/) {
    const auto frame = build_hello();
    if (frame) return agent_protocol::append(outbox_, *frame);
    failure_ = to_string(frame.error());
    session_.feed(&agent_session::on_connection_lost, reason::broken);
}

void node_connection::perform(const session::send_heartbeat& effect) {
    agent_protocol::Frame frame;
    frame.mutable_beat()->set_sequence(effect.sequence);
    agent_protocol::append(outbox_, frame);
}

void node_connection::perform(const session::node_fenced& /*effect*/) {
    listener_.node_fenced();
}

void node_connection::perform(const session::disconnect& effect) {
    ending_ = effect;
}

void node_connection::send(const session::facts_message& facts_message) {
    agent_protocol::Frame frame;
    auto& message = *frame.mutable_facts();
    message.set_whole(facts_message.complete);
    message.set_base_digest(facts_message.base);
    message.set_digest(facts_message.digest);
    for (const auto& [path, value] : facts_message.change.set)
        (*message.mutable_set())[path] = value;
    for (const auto& path : facts_message.change.removed) message.add_removed(path);
    send(frame);
}

void node_connection::send(const agent_protocol::Frame& frame) {
    agent_protocol::append(outbox_, frame);
    wake();
}

bool node_connection::send_bulk(const agent_protocol::Frame& frame) {
    if (!push(bulk_, frame, bulk_frames_max)) return false;
    wake();
    return true;
}

bool node_connection::send_output(const agent_protocol::Frame& frame) {
    if (!push(output_, frame, output_frames_max)) return false;
    wake();
    return true;
}

void node_connection::wake() {
    if (!reading_) return;  // the frame is sent before the next read
    interrupted_to_send_ = true;
    stream_->interrupt();
}

void node_connection::close() {
    closed_ = true;
    session_.feed(&agent_session::on_connection_lost, reason::closed);
    if (stream_) stream_->interrupt();
}

}  // namespace muster::agent
