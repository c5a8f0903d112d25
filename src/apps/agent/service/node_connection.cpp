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
constexpr std::size_t written_at_once = std::size_t{16} * 1024;  // within write_time
constexpr std::size_t bulk_frames_max = 8;
constexpr std::size_t output_frames_max = 4;

bool push(
    std::deque<std::string>& lane, const agent_protocol::Frame& frame, std::size_t frames_max) {
    if (lane.size() >= frames_max) return false;
    lane.push_back(agent_protocol::encode(frame));
    return true;
}

reason reason_of(agent_protocol::Reason wire) {
    const auto number = static_cast<int>(wire);
    const bool existing = number >= 0 && number <= static_cast<int>(reason::replaced);
    return existing ? static_cast<reason>(number) : reason::unknown;
}

template <class Message>
session::channel_over ending_of(const Message& message) {
    return {
        .why = reason_of(message.reason()),
        .address = message.address(),
        .retry_after = std::chrono::milliseconds(message.retry_after_ms())};
}

// The first minutes tell most; after that once in a while will do.
constexpr std::uint64_t first_beats = 3;
constexpr std::uint64_t beats_between = 360;

bool is_worth_telling(std::uint64_t answered) {
    return answered == first_beats || (answered > 0 && answered % beats_between == 0);
}

}  // namespace

node_connection::node_connection(
    terms terms, node_connection_listener& listener, muster::clock& clock)
    : options_(std::move(terms)),
      listener_(listener),
      clock_(clock),
      session_(*this, session::agent_terms{}, clock.now()) {}

boost::asio::awaitable<session::channel_over> node_connection::run() {
    auto connected = co_await within(
        clock_,
        connect_time,
        net::connect({.where = options_.where, .tls = options_.tls, .through = options_.proxy}));
    if (!connected) {
        trouble_ = to_string(connected.error());
        co_return ending_;
    }
    stream_ = *std::move(connected);
    if (closed_) co_return ending_;
    session_.restart(session::agent_terms{}, now());
    session_.feed(&agent_session::open);
    co_await serve();
    stream_->close();
    co_return ending_;
}

result<agent_protocol::Frame> node_connection::hello() const {
    if (stream_->protocol() != "muster/1")
        return fail(errc::invalid, "the server at the node's address has no channels");
    TRY(const auto binding, stream_->channel_binding());
    TRY(const auto proof, pki::make_agent_proof(options_.key, binding));
    agent_protocol::Frame frame;
    auto& message = *frame.mutable_hello();
    message.set_proof(proof);
    message.set_version(MUSTER_VERSION);
    message.set_start(options_.start);
    message.set_facts_digest(options_.facts_digest);
    return frame;
}

// What came meanwhile goes before the next frame of bulk, and that before the next of output.
async<void> node_connection::flush() {
    while (!session_->ended() && (!outbox_.empty() || !bulk_.empty() || !output_.empty())) {
        std::string next = std::exchange(outbox_, std::string());
        if (next.empty()) {
            auto& lane = bulk_.empty() ? output_ : bulk_;
            next = std::move(lane.front());
            lane.pop_front();
        }
        CO_CHECK_OK(co_await write(std::move(next)));
    }
    co_return result<void>();
}

// A link may be slow as long as something passes. What it takes from us shows that it lives.
async<void> node_connection::write(std::string bytes) {
    for (std::size_t at = 0; at < bytes.size() && !session_->ended(); at += written_at_once) {
        if (at > 0) meanwhile();
        auto some = stream_->write(bytes.substr(at, written_at_once));
        CO_CHECK_OK(co_await within(clock_, write_time, std::move(some)));
        // What fits into the system's buffers at once tells nothing of the node.
        if (at > 0) session_.feed(&agent_session::bytes_moved);
    }
    co_return result<void>();
}

// Between two parts of a long frame: hears what has come, and beats after it when that is due.
void node_connection::meanwhile() {
    std::array<char, read_bytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const net::step step = stream_->try_read(buffer);
    if (step.what == net::progress::done) take_bytes({buffer.data(), step.size});
    if (step.what == net::progress::ended) session_.feed(&agent_session::lost, reason::closed);
    if (step.what == net::progress::broken) session_.feed(&agent_session::lost, reason::broken);
    session_.feed(&agent_session::expire);
}

// Reads until the session's deadline, answers, and again. interrupt() ends a wait early when there
// is something to send.
boost::asio::awaitable<void> node_connection::serve() {
    std::array<char, read_bytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (!session_->ended()) {
        const auto sent = co_await flush();
        if (!sent) {
            trouble_ = to_string(sent.error());
            session_.feed(&agent_session::lost, reason::broken);
            co_return;
        }
        const auto left = std::max(session_->deadline() - clock_.now(), monotonic::duration(1));
        reading_ = true;
        auto got = co_await within(clock_, left, stream_->read_some(buffer));
        reading_ = false;
        if (std::exchange(woken_, false) && !got) continue;
        if (got && *got == 0) {
            session_.feed(&agent_session::lost, reason::closed);
        } else if (got) {
            take_bytes({buffer.data(), *got});
        } else if (got.error().code() != errc::timed_out) {
            trouble_ = to_string(got.error());
            session_.feed(&agent_session::lost, reason::broken);
        }
        session_.feed(&agent_session::expire);
    }
}

void node_connection::take_bytes(std::string_view bytes) {
    session_.feed(&agent_session::bytes_moved);
    frames_.feed(bytes);
    while (!session_->ended()) {
        const auto next = frames_.next();
        if (!next) {
            trouble_ = to_string(next.error());
            session_.feed(&agent_session::malformed);
            return;
        }
        if (!*next) break;
        take(**next);
    }
    listener_.read_done();
}

void node_connection::take(const agent_protocol::Frame& frame) {
    switch (frame.kind_case()) {
        case agent_protocol::Frame::kWelcome: {
            const auto& message = frame.welcome();
            const session::channel_terms agreed{
                .heartbeat = std::chrono::milliseconds(message.heartbeat_ms()),
                .silence = std::chrono::milliseconds(message.silence_ms())};
            session_.feed(&agent_session::welcomed, agreed);
            if (!session_->attached()) return;
            listener_.attached(
                {.node = message.node(),
                 .system = message.system(),
                 .facts_wanted = message.facts_wanted()});
            return;
        }
        case agent_protocol::Frame::kRefusal:
            return session_.feed(&agent_session::dismissed, ending_of(frame.refusal()));
        case agent_protocol::Frame::kGoodbye:
            return session_.feed(&agent_session::dismissed, ending_of(frame.goodbye()));
        case agent_protocol::Frame::kBeat:
            session_.feed(&agent_session::beat, frame.beat().fenced());
            if (is_worth_telling(session_->quality().count))
                listener_.measured(session_->quality());
            return;
        case agent_protocol::Frame::kFactsTaken: {
            session_.feed(&agent_session::other_frame);
            const auto& message = frame.facts_taken();
            if (session_->attached()) listener_.facts_answered(message.digest(), message.wanted());
            return;
        }
        default:  // about tasks, or what only an agent says, or a kind of a newer version
            break;
    }
    if (session_->attached() && listener_.take_frame(frame)) {
        session_.feed(&agent_session::other_frame);
    } else {
        session_.feed(&agent_session::malformed);
    }
}

void node_connection::perform(const session::send_hello& /*effect*/) {
    const auto frame = hello();
    if (frame) return agent_protocol::append(outbox_, *frame);
    trouble_ = to_string(frame.error());
    session_.feed(&agent_session::lost, reason::broken);
}

void node_connection::perform(const session::send_heartbeat& effect) {
    agent_protocol::Frame frame;
    frame.mutable_beat()->set_sequence(effect.sequence);
    agent_protocol::append(outbox_, frame);
}

void node_connection::perform(const session::node_fenced& /*effect*/) {
    listener_.node_fenced();
}

void node_connection::perform(const session::channel_over& effect) {
    ending_ = effect;
}

void node_connection::send(const session::facts_message& facts_message) {
    agent_protocol::Frame frame;
    auto& message = *frame.mutable_facts();
    message.set_whole(facts_message.whole);
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
    if (!reading_) return;  // it is sent before the next read
    woken_ = true;
    stream_->interrupt();
}

void node_connection::close() {
    closed_ = true;
    session_.feed(&agent_session::lost, reason::closed);
    if (stream_) stream_->interrupt();
}

}  // namespace muster::agent
