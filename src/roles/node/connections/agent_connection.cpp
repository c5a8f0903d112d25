#include "roles/node/connections/agent_connection.h"

#include "adapters/pki/agent_proof.h"
#include "base/release_memory.h"
#include "roles/node/connections/agent_connection_loop.h"
#include "roles/node/connections/agent_connection_loops.h"
#include "roles/node/connections/frames.h"
#include "services/presence/report_codec.h"

#include <functional>
#include <utility>

namespace muster::node {

using muster::agent_protocol::Frame;
using muster::agent_protocol::frame_limits;
using net::progress;
using session::node_session;
using session::reason;

agent_connection::agent_connection(agent_connection_loop& loop, net::http::channel channel)
    : loop_(loop),
      channel_(std::move(channel)),
      number_(loop.add(*this)),
      deadline_(loop.deadlines(), *channel_.bytes),
      session_(*this, loop.shared().options.terms, now()),
      frames_(frame_limits::hello_bytes_max),
      print_(fingerprint::bytes_type{}),
      slot_(0) {}

agent_connection::~agent_connection() {
    session_.feed(&node_session::on_connection_lost, reason::broken);  // cut while attached
    loop_.remove(number_);
}

instant agent_connection::now() const {
    return loop_.shared().locator.clock().now();
}

boost::asio::awaitable<void> agent_connection::run() {
    while (true) {
        if (*channel_.stopping) on_wakeup();  // the stop may have come between waits
        const progress blocked = process();
        if (blocked == progress::ended) co_return;
        deadline_.arm(
            session_->is_ended() ? now() + loop_.shared().options.farewell_time
                                 : session_->deadline());
        const auto [interrupted] = co_await wait_for(blocked);
        if (!interrupted) continue;
        if (session_->is_ended() && deadline_.expired()) co_return;
        on_wakeup();
    }
}

// While bytes are unsent, waits until the connection is writable or the agent sends something.
net::stream::wait_result agent_connection::wait_for(progress blocked) {
    return blocked == progress::wants_read && unsent() > 0 ? channel_.bytes->wait_for_either()
                                                           : channel_.bytes->wait_for(blocked);
}

// The wait was ended by a deadline, by the server's stop, or by close().
void agent_connection::on_wakeup() {
    session_.feed(&node_session::expire);
    if (!*channel_.stopping || session_->is_ended()) return;
    const auto& options = loop_.shared().options;
    const auto spread_count = static_cast<std::uint64_t>(options.stop_spread.count()) + 1;
    const monotonic::duration extra(
        static_cast<monotonic::rep>(loop_.random().below(spread_count)));
    session_.feed(
        &node_session::detach,
        session::refusal{
            .why = reason::stopping, .address = {}, .retry_after = options.waits.stopping + extra});
}

// Does everything that is possible without waiting. `ended`: the connection is over.
progress agent_connection::process() {
    for (bool drained = false;;) {
        progress blocked = progress::ended;
        const bool all_sent = flush(blocked);
        if (session_->is_ended()) return all_sent ? progress::ended : blocked;
        // Read also while the agent reads slowly, or a large frame would block its heartbeats. Stop
        // reading when too many responses wait.
        if (!all_sent && unsent() > unsent_bytes_max) return blocked;
        // One read a turn: other connections wait, too, a heartbeat is one record, and remaining
        // bytes in the socket wake us again.
        if (drained && !channel_.bytes->has_buffered()) return progress::wants_read;
        auto& buffer = loop_.received();
        const net::step step = channel_.bytes->try_read(buffer);
        switch (step.state) {
            case progress::done:
                receive(std::string_view(buffer.data(), step.size));
                drained = true;
                break;
            case progress::wants_read:
            case progress::wants_write:
                return step.state;
            case progress::ended:
                session_.feed(&node_session::on_connection_lost, reason::closed);
                break;
            case progress::broken:
                session_.feed(&node_session::on_connection_lost, reason::broken);
                break;
        }
    }
}

// True: all is sent. Otherwise `blocked` says what to wait for, or that the connection ended.
bool agent_connection::flush(progress& blocked) {
    if (std::exchange(received_, false) || !out_.empty()) out_ += std::exchange(deferred_, {});
    while (sent_ < out_.size()) {
        const net::step step = channel_.bytes->try_write(std::string_view(out_).substr(sent_));
        if (step.state == progress::done) {
            sent_ += step.size;
            continue;
        }
        blocked = step.state;
        if (step.state == progress::wants_read || step.state == progress::wants_write) {
            discard_sent();
            return false;
        }
        session_.feed(&node_session::on_connection_lost, reason::broken);
        blocked = progress::ended;
        return false;
    }
    release_memory(out_);
    sent_ = 0;
    return true;
}

// Bounds the memory for an agent that always reads slowly.
void agent_connection::discard_sent() {
    if (sent_ < unsent()) return;
    out_.erase(0, sent_);
    sent_ = 0;
}

void agent_connection::receive(std::string_view bytes) {
    received_ = true;
    session_.feed(&node_session::on_bytes);
    frames_.feed(bytes);
    while (!session_->is_ended()) {
        auto frame = frames_.next();
        if (!frame) {
            session_.feed(&node_session::on_malformed);
            return;
        }
        if (!*frame) return;
        receive(**std::move(frame));
    }
}

void agent_connection::receive(Frame frame) {
    switch (frame.kind_case()) {
        case Frame::kHello:
            receive_hello(frame.hello());
            return;
        case Frame::kBeat:
            agent_connection_counters::add(loop_.shared().counters.beats);
            session_.feed(
                &node_session::on_heartbeat,
                frame.beat().sequence(),
                loop_.shared().locator.is_fenced());
            return;
        case Frame::kFacts:
            session_.feed(&node_session::on_frame);
            if (session_->is_attached()) receive_facts(frame.facts());
            return;
        case Frame::kTasksHeld:
        case Frame::kReports:
        case Frame::kPayloadPart:
        case Frame::kOutput:
        case Frame::kRunning:
            session_.feed(&node_session::on_frame);
            if (session_->is_attached()) receive_task_frame(std::move(frame));
            return;
        default:  // a frame that only nodes send, or of a newer version
            session_.feed(&node_session::on_malformed);
            return;
    }
}

void agent_connection::receive_hello(const muster::agent_protocol::Hello& hello) {
    if (session_->is_attached()) {
        session_.feed(&node_session::on_malformed);
        return;
    }
    // Limit before the proof: verifying it is the most expensive part of an attach.
    if (const auto wait = loop_.shared().limiter.acquire(channel_.client)) {
        refuse({.why = reason::busy, .address = {}, .retry_after = *wait});
        return;
    }
    const auto fingerprint = verify_proof(hello);
    if (!fingerprint) {
        agent_connection_counters::add(
            agent_connection_counters::of(loop_.shared().counters.refusals, reason::denied));
        session_.feed(&node_session::on_unproven_hello);
        return;
    }
    print_ = *fingerprint;
    attach(hello);
}

result<fingerprint> agent_connection::verify_proof(
    const muster::agent_protocol::Hello& hello) const {
    TRY(const auto binding, channel_.bytes->channel_binding());
    TRY(const auto agent, pki::verify_agent_proof(binding, hello.proof()));
    return fingerprint::parse(agent.str());
}

void agent_connection::attach(const muster::agent_protocol::Hello& hello) {
    auto system = loop_.shared().locator.find(print_);
    system.context.stopping = *channel_.stopping;
    const auto decision = session::decide_attach(system.context, loop_.shared().options.waits);
    const auto* refusal = std::get_if<session::refusal>(&decision);
    const bool is_stranger =
        refusal && (refusal->why == reason::fresh || refusal->why == reason::deleted);
    if (!is_stranger) loop_.shared().limiter.on_recognised(channel_.client);
    if (refusal) {
        refuse(*refusal);
        return;
    }
    system_ = system.context.number;
    zone_ = std::move(system.zone);
    slot_ = slot::of(print_);
    frames_.set_limit(frame_limits::frame_bytes_max);
    const auto& shared = loop_.shared();
    session_.feed(&node_session::on_hello, decision);
    agent_connection_counters::add(shared.counters.attaches);
    is_attached_ = true;
    const presence::attach_event arrival{
        .system = system_,
        .address = presence::pack(channel_.client),
        .since = presence::to_seconds(shared.locator.clock().wall())};
    const auto previous = shared.attached.attach(
        arrival,
        {.loop = loop_.index(), .number = number_},
        static_cast<std::uint64_t>(std::hash<std::string>()(hello.start())));
    channel_.permit->release();  // attached_max counts the connection now
    // The previous connection may be on another loop.
    if (previous)
        shared.loops.close(*previous, {.why = reason::replaced, .address = {}, .retry_after = {}});
    if (!hello.facts_digest().empty())
        shared.facts.check(
            {.loop = loop_.index(), .number = number_}, print_, hello.facts_digest());
}

void agent_connection::receive_facts(const muster::agent_protocol::Facts& facts) {
    const facts_writer::connection_id connection{.loop = loop_.index(), .number = number_};
    switch (loop_.shared().facts.submit(connection, print_, facts)) {
        case facts_writer::submit_result::accepted:
            return;
        case facts_writer::submit_result::later:
            agent_connection_counters::add(loop_.shared().counters.facts_deferred);
            loop_.defer_facts(number_);
            return;
        case facts_writer::submit_result::refused:
            agent_connection_counters::add(loop_.shared().counters.facts_refused);
            return;
    }
}

void agent_connection::receive_task_frame(Frame frame) {
    if (loop_.shared().observers.on_frame(system_, frame)) return;
    const dispatch::connection_id connection{.loop = loop_.index(), .number = number_};
    const auto bytes = frame.ByteSizeLong();
    const bool is_first = frame.has_tasks_held() && frame.tasks_held().all();
    const bool accepted = loop_.shared().tasks.push(
        dispatch::agent_message{
            .system = system_, .connection = connection, .frame = std::move(frame)},
        bytes);
    // Without the first message nothing is sent to the agent; it repeats it only on a new
    // connection.
    if (!accepted && is_first) close({.why = reason::busy, .address = {}, .retry_after = {}});
}

void agent_connection::refuse(const session::refusal& refusal) {
    agent_connection_counters::add(
        agent_connection_counters::of(loop_.shared().counters.refusals, refusal.why));
    session_.feed(&node_session::on_hello, refusal);
}

void agent_connection::close(session::refusal refusal) {
    session_.feed(&node_session::detach, std::move(refusal));
    channel_.bytes->interrupt();
}

void agent_connection::send(const Frame& frame) {
    if (!session_->is_attached()) return;
    if (unsent() > unsent_bytes_max) {  // the agent reads nothing; it gets everything again later
        close({.why = reason::busy, .address = {}, .retry_after = {}});
        return;
    }
    // An acknowledgement is not urgent: the agent keeps its reports and repeats them after 30 s.
    const bool urgent = !frame.has_reports_taken()
                        || loop_.shared().options.terms.heartbeat_interval > deferred_time_max;
    muster::agent_protocol::append(urgent ? out_ : deferred_, frame);
    if (deferred_.size() > deferred_bytes_max) out_ += std::exchange(deferred_, {});
    // Avoids waking run() for bytes that can be written at once.
    if (progress blocked = progress::ended; !out_.empty() && !flush(blocked))
        channel_.bytes->interrupt();
}

void agent_connection::request_facts() {
    send(facts_wanted_frame());
}

void agent_connection::perform(const session::send_welcome& effect) {
    const auto& shared = loop_.shared();
    muster::agent_protocol::append(
        out_, welcome_frame(effect.message, shared.options.terms, shared.locator.name()));
}

void agent_connection::perform(const session::send_refusal& effect) {
    muster::agent_protocol::append(out_, refusal_frame(effect.message));
}

void agent_connection::perform(const session::send_heartbeat_reply& effect) {
    muster::agent_protocol::append(out_, beat_frame(effect));
}

void agent_connection::perform(const session::send_detach& effect) {
    muster::agent_protocol::append(out_, goodbye_frame(effect.message));
}

void agent_connection::perform(const session::close_connection& effect) {
    if (!std::exchange(is_attached_, false)) return;
    const auto& shared = loop_.shared();
    agent_connection_counters::add(
        agent_connection_counters::of(shared.counters.detaches, effect.why));
    const dispatch::connection_id connection{.loop = loop_.index(), .number = number_};
    shared.tasks.push(dispatch::agent_detached{.system = system_, .connection = connection}, 0);
    shared.attached.detach(
        {.system = system_,
         .why = effect.why,
         .at = presence::to_seconds(shared.locator.clock().wall())},
        connection);
}

}  // namespace muster::node
