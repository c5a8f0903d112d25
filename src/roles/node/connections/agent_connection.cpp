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

agent_connection::agent_connection(agent_connection_loop& on, net::http::channel channel)
    : on_(on),
      given_(std::move(channel)),
      number_(on.enter(*this)),
      deadline_(on.deadlines(), *given_.bytes),
      session_(*this, on.all().how.terms, now()),
      frames_(frame_limits::hello_bytes_max),
      print_(fingerprint::bytes_type{}),
      slot_(0) {}

agent_connection::~agent_connection() {
    session_.feed(
        &node_session::lost, reason::broken);  // the connection was cut while it still stood
    on_.leave(number_);
}

instant agent_connection::now() const {
    return on_.all().known.clock().now();
}

boost::asio::awaitable<void> agent_connection::run() {
    while (true) {
        if (*given_.stopping) woken();  // it may have come while nobody waited
        const progress blocked = turn();
        if (blocked == progress::ended) co_return;
        deadline_.arm(
            session_->ended() ? now() + on_.all().how.farewell_time : session_->deadline());
        const auto [interrupted] = co_await wait_for(blocked);
        if (!interrupted) continue;
        if (session_->ended() && deadline_.expired()) co_return;
        woken();
    }
}

// While something is unsent, until it can go on or the agent says something.
net::stream::waited agent_connection::wait_for(progress blocked) {
    return blocked == progress::wants_read && unsent() > 0 ? given_.bytes->wait_for_either()
                                                           : given_.bytes->wait_for(blocked);
}

// The wait was ended by a deadline, by the server's stop, or by somebody who let the agent go.
void agent_connection::woken() {
    session_.feed(&node_session::expire);
    if (!*given_.stopping || session_->ended()) return;
    const auto& how = on_.all().how;
    const auto spread = static_cast<std::uint64_t>(how.stop_spread.count()) + 1;
    const monotonic::duration more(static_cast<monotonic::rep>(on_.random().below(spread)));
    session_.feed(
        &node_session::let_go,
        session::refusal{
            .why = reason::stopping, .address = {}, .retry_after = how.waits.stopping + more});
}

// Everything that can be done without waiting. `ended`: the channel is over.
progress agent_connection::turn() {
    for (bool drained = false;;) {
        progress blocked = progress::ended;
        const bool all_sent = flush(blocked);
        if (session_->ended()) return all_sent ? progress::ended : blocked;
        // What it says while it is slow to read is heard, or a large frame would silence its beats.
        // Whoever only speaks is heard no more when too many answers wait.
        if (!all_sent && unsent() > unsent_bytes_max) return blocked;
        // One read a turn: others are waiting too, a beat is one record, and what is left in the
        // socket wakes us again.
        if (drained && !given_.bytes->has_buffered()) return progress::wants_read;
        auto& into = on_.received();
        const net::step step = given_.bytes->try_read(into);
        switch (step.what) {
            case progress::done:
                take(std::string_view(into.data(), step.size));
                drained = true;
                break;
            case progress::wants_read:
            case progress::wants_write:
                return step.what;
            case progress::ended:
                session_.feed(&node_session::lost, reason::closed);
                break;
            case progress::broken:
                session_.feed(&node_session::lost, reason::broken);
                break;
        }
    }
}

// True: all is sent. Otherwise what to wait for, or that nothing can be sent any more.
bool agent_connection::flush(progress& blocked) {
    if (std::exchange(heard_, false) || !out_.empty()) out_ += std::exchange(unhurried_, {});
    while (sent_ < out_.size()) {
        const net::step step = given_.bytes->try_write(std::string_view(out_).substr(sent_));
        if (step.what == progress::done) {
            sent_ += step.size;
            continue;
        }
        blocked = step.what;
        if (step.what == progress::wants_read || step.what == progress::wants_write) {
            drop_sent();
            return false;
        }
        session_.feed(&node_session::lost, reason::broken);
        blocked = progress::ended;
        return false;
    }
    release_memory(out_);
    sent_ = 0;
    return true;
}

// An agent that is always behind must not make us keep all it was ever told.
void agent_connection::drop_sent() {
    if (sent_ < unsent()) return;
    out_.erase(0, sent_);
    sent_ = 0;
}

void agent_connection::take(std::string_view bytes) {
    heard_ = true;
    session_.feed(&node_session::bytes_moved);
    frames_.feed(bytes);
    while (!session_->ended()) {
        auto frame = frames_.next();
        if (!frame) {
            session_.feed(&node_session::malformed);
            return;
        }
        if (!*frame) return;
        take(**std::move(frame));
    }
}

void agent_connection::take(Frame frame) {
    switch (frame.kind_case()) {
        case Frame::kHello:
            take_hello(frame.hello());
            return;
        case Frame::kBeat:
            agent_connection_counters::add(on_.all().counted.beats);
            session_.feed(&node_session::beat, frame.beat().sequence(), on_.all().known.fenced());
            return;
        case Frame::kFacts:
            session_.feed(&node_session::other_frame);
            if (session_->attached()) take_facts(frame.facts());
            return;
        case Frame::kTasksHeld:
        case Frame::kReports:
        case Frame::kPayloadPart:
        case Frame::kOutput:
        case Frame::kRunning:
            session_.feed(&node_session::other_frame);
            if (session_->attached()) take_of_tasks(std::move(frame));
            return;
        default:  // what only a node says, or a kind of a newer version
            session_.feed(&node_session::malformed);
            return;
    }
}

void agent_connection::take_hello(const muster::agent_protocol::Hello& hello) {
    if (session_->attached()) {
        session_.feed(&node_session::malformed);
        return;
    }
    // The gate stands before the proof, because checking that is what an attach costs most.
    if (const auto wait = on_.all().gate.enter(given_.client)) {
        refuse({.why = reason::busy, .address = {}, .retry_after = *wait});
        return;
    }
    const auto who = proven(hello);
    if (!who) {
        agent_connection_counters::add(
            agent_connection_counters::of(on_.all().counted.refusals, reason::denied));
        session_.feed(&node_session::hello_unproven);
        return;
    }
    print_ = *who;
    admit(hello);
}

result<fingerprint> agent_connection::proven(const muster::agent_protocol::Hello& hello) const {
    TRY(const auto binding, given_.bytes->channel_binding());
    TRY(const auto who, pki::proven_agent(binding, hello.proof()));
    return fingerprint::parse(who.str());
}

void agent_connection::admit(const muster::agent_protocol::Hello& hello) {
    auto match = on_.all().known.look_up(print_);
    match.now.stopping = *given_.stopping;
    const auto judged = session::judge(match.now, on_.all().how.waits);
    const auto* refused = std::get_if<session::refusal>(&judged);
    const bool stranger =
        refused && (refused->why == reason::fresh || refused->why == reason::deleted);
    if (!stranger) on_.all().gate.recognised(given_.client);
    if (refused) {
        refuse(*refused);
        return;
    }
    system_ = match.now.number;
    zone_ = std::move(match.zone);
    slot_ = slot::of(print_);
    frames_.allow(frame_limits::frame_bytes_max);
    const auto& all = on_.all();
    session_.feed(&node_session::hello, judged);
    agent_connection_counters::add(all.counted.attaches);
    present_ = true;
    const presence::arrival arrival{
        .system = system_,
        .address = presence::pack(given_.client),
        .since = presence::seconds_of(all.known.clock().wall())};
    const auto before = all.attached.arrive(
        arrival,
        {.loop = on_.index(), .number = number_},
        static_cast<std::uint64_t>(std::hash<std::string>()(hello.start())));
    given_.place->release_memory();  // attached_max counts it now
    // It may be on another loop.
    if (before)
        all.loops.let_go(*before, {.why = reason::replaced, .address = {}, .retry_after = {}});
    if (!hello.facts_digest().empty())
        all.facts.check({.loop = on_.index(), .number = number_}, print_, hello.facts_digest());
}

void agent_connection::take_facts(const muster::agent_protocol::Facts& facts) {
    const facts_writer::channel_id channel_id{.loop = on_.index(), .number = number_};
    switch (on_.all().facts.submit(channel_id, print_, facts)) {
        case facts_writer::submitted::taken:
            return;
        case facts_writer::submitted::later:
            agent_connection_counters::add(on_.all().counted.facts_deferred);
            on_.owes_facts(number_);
            return;
        case facts_writer::submitted::refused:
            agent_connection_counters::add(on_.all().counted.facts_refused);
            return;
    }
}

void agent_connection::take_of_tasks(Frame frame) {
    if (on_.all().watching.heard(system_, frame)) return;
    const dispatch::channel_id over{.loop = on_.index(), .number = number_};
    const auto bytes = frame.ByteSizeLong();
    const bool first_word = frame.has_tasks_held() && frame.tasks_held().all();
    const bool reserved = on_.all().tasks.push(
        dispatch::agent_message{.system = system_, .over = over, .frame = std::move(frame)}, bytes);
    // Without it nothing is ever sent to the agent, and only on a new channel it says it again.
    if (!reserved && first_word) let_go({.why = reason::busy, .address = {}, .retry_after = {}});
}

void agent_connection::refuse(const session::refusal& why) {
    agent_connection_counters::add(
        agent_connection_counters::of(on_.all().counted.refusals, why.why));
    session_.feed(&node_session::hello, why);
}

void agent_connection::let_go(session::refusal why) {
    session_.feed(&node_session::let_go, std::move(why));
    given_.bytes->interrupt();
}

void agent_connection::send(const Frame& frame) {
    if (!session_->attached()) return;
    if (unsent() > unsent_bytes_max) {  // it reads nothing; all of it is said again
        let_go({.why = reason::busy, .address = {}, .retry_after = {}});
        return;
    }
    // Until it hears that its reports are taken the agent only keeps them; after 30 s it says them
    // again.
    const bool urgent =
        !frame.has_reports_taken() || on_.all().how.terms.heartbeat > unhurried_time_max;
    muster::agent_protocol::append(urgent ? out_ : unhurried_, frame);
    if (unhurried_.size() > unhurried_bytes_max) out_ += std::exchange(unhurried_, {});
    // run() need not wake for what can be written at once.
    if (progress blocked = progress::ended; !out_.empty() && !flush(blocked))
        given_.bytes->interrupt();
}

void agent_connection::ask_for_facts() {
    send(facts_wanted_frame());
}

void agent_connection::perform(const session::send_welcome& effect) {
    const auto& all = on_.all();
    muster::agent_protocol::append(
        out_, welcome_frame(effect.what, all.how.terms, all.known.name()));
}

void agent_connection::perform(const session::send_refusal& effect) {
    muster::agent_protocol::append(out_, refusal_frame(effect.what));
}

void agent_connection::perform(const session::send_beat& effect) {
    muster::agent_protocol::append(out_, beat_frame(effect));
}

void agent_connection::perform(const session::send_detach& effect) {
    muster::agent_protocol::append(out_, goodbye_frame(effect.what));
}

void agent_connection::perform(const session::close_connection& effect) {
    if (!std::exchange(present_, false)) return;
    const auto& all = on_.all();
    agent_connection_counters::add(agent_connection_counters::of(all.counted.detaches, effect.why));
    const dispatch::channel_id over{.loop = on_.index(), .number = number_};
    all.tasks.push(dispatch::agent_detached{.system = system_, .over = over}, 0);
    all.attached.depart(
        {.system = system_,
         .why = effect.why,
         .at = presence::seconds_of(all.known.clock().wall())},
        over);
}

}  // namespace muster::node
