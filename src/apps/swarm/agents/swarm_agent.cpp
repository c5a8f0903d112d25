#include "apps/swarm/agents/swarm_agent.h"

#include "adapters/pki/agent_proof.h"
#include "base/release_memory.h"
#include "ports/deadline.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::swarm {

namespace asio = boost::asio;
using lifecycle::agent_effect;
using muster::agent_protocol::Frame;
using net::progress;
using session::agent_session;
using session::reason;

namespace {

constexpr auto connect_time = std::chrono::seconds(30);

monotonic::duration retry_after(const net::http::answer& from) {
    const auto field = from.field("retry-after");
    unsigned seconds = 0;
    if (!field) return {};
    std::from_chars(field->data(), field->data() + field->size(), seconds);
    return std::chrono::seconds(seconds);
}

// Thirty-two digits, as systemd writes it.
std::string machine_id_of(std::string print) {
    std::erase(print, ':');
    return print.substr(0, 32);
}

std::optional<system_state> state_in(const net::http::answer& from) {
    if (from.status != 200 || from.body.size() != 1) return std::nullopt;
    return state_of_digit(from.body.front());
}

}  // namespace

swarm_agent::swarm_agent(
    const common& all, dependencies deps, std::uint64_t number, pki::private_key key)
    : all_(all),
      deps_(deps),
      number_(number),
      key_(std::move(key)),
      print_(pki::pem_fingerprint(key_.public_half().to_pem()).value().str()),
      life_(all.life, prng(number)),
      session_(*this, session::agent_terms{}, instant()),
      tasks_(all.counted, {.made = &deps.outputs, .agent = number}) {}

swarm_agent::~swarm_agent() {
    if (standing_) --all_.counted.attached_now;
}

asio::awaitable<void> swarm_agent::run(monotonic::duration first_pause) {
    ignore_error(
        co_await all_.clock.sleep_for(first_pause), "a cancelled one ends at its next wait");
    effects due = life_.start(now());
    while (!life_.ended()) {
        if (due.empty()) {
            const auto wake = life_.next_deadline().value_or(now() + std::chrono::seconds(1));
            const auto slept = co_await all_.clock.sleep_until(wake);
            if (!slept) co_return;
            due = life_.expire(now());
            continue;
        }
        auto next = std::move(due.front());
        due.erase(due.begin());
        auto more = co_await carry_out(std::move(next));
        due.insert(
            due.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    ++all_.counted.stopped;
}

asio::awaitable<swarm_agent::effects> swarm_agent::carry_out(agent_effect agent_effect) {
    if (const auto* knock = std::get_if<lifecycle::request_status>(&agent_effect))
        co_return co_await ask_status(knock->entry);
    if (const auto* enrol = std::get_if<lifecycle::enrol>(&agent_effect))
        co_return co_await ask_enrolment(enrol->entry);
    if (const auto* place = std::get_if<lifecycle::ask_place>(&agent_effect))
        co_return co_await ask_place(place->entry);
    if (const auto* open = std::get_if<lifecycle::open_channel>(&agent_effect))
        co_return co_await hold_channel(open->address);
    co_return effects();  // states have no scenario here, and a channel is closed by its own loop
}

swarm_agent::effects swarm_agent::failed(const std::string& why, monotonic::duration retry) {
    all_.counted.failed(why);
    return life_.failed(retry, now());
}

async<net::http::answer> swarm_agent::send(net::http::outgoing outgoing) {
    const auto passage = co_await deps_.door.enter();
    if (!passage) co_return fail(errc::cancelled, "the swarm ends");
    if (!client_)
        client_ = std::make_unique<net::http::client>(net::http::client::options{
            .clock = &all_.clock,
            .tls = all_.http_tls,
            .allowed = {.connect_time = connect_time},
            .agent = key_});
    co_return co_await client_->send(std::move(outgoing));
}

asio::awaitable<swarm_agent::effects> swarm_agent::ask_status(std::size_t entry) {
    ++all_.counted.knocks;
    const auto answer =
        co_await send({.url = all_.entries.at(entry) + "/system/status?fp=" + print_});
    if (!answer) co_return failed("knock: " + to_string(answer.error()));
    const auto state = state_in(*answer);
    // Whoever waits to be accepted keeps no connection open.
    if (state != system_state::orphan) client_.reset();
    if (!state)
        co_return failed("knock: status " + std::to_string(answer->status), retry_after(*answer));
    co_return life_.told(*state, now());
}

asio::awaitable<swarm_agent::effects> swarm_agent::ask_enrolment(std::size_t entry) {
    ++all_.counted.enrolments;
    const auto name = all_.name_prefix + std::to_string(number_);
    boost::json::object body{
        {"name", name},
        {"machine_id", machine_id_of(print_)},
        {"version", MUSTER_VERSION},
        {"facts", {{"os.name", "swarm"}}}};
    if (!all_.activation_key.empty()) body["activation_key"] = all_.activation_key;
    net::http::outgoing outgoing{
        .method = "POST",
        .url = all_.entries.at(entry) + "/system/enroll",
        .fields = {{"Content-Type", "application/json"}},
        .body = boost::json::serialize(body)};
    const auto answer = co_await send(std::move(outgoing));
    client_.reset();
    if (!answer) co_return failed("enrol: " + to_string(answer.error()));
    if (const auto state = state_in(*answer)) co_return life_.told(*state, now());
    co_return failed(
        "enrol: status " + std::to_string(answer->status) + " " + answer->body,
        retry_after(*answer));
}

asio::awaitable<swarm_agent::effects> swarm_agent::ask_place(std::size_t entry) {
    const auto answer =
        co_await send({.url = all_.entries.at(entry) + "/system/orphan?fp=" + print_});
    client_.reset();
    if (!answer) co_return failed("place: " + to_string(answer.error()));
    switch (answer->status) {
        case 200:
            ++all_.counted.places;
            co_return life_.placed(answer->body, now());
        case 204:
            ++all_.counted.unplaced;
            co_return life_.unplaced(retry_after(*answer), now());
        case 403:
            co_return life_.not_accepted(now());
        case 410:
            co_return life_.told(system_state::deleted, now());
        default:
            co_return failed(
                "place: status " + std::to_string(answer->status), retry_after(*answer));
    }
}

asio::awaitable<swarm_agent::effects> swarm_agent::hold_channel(std::string address) {
    const auto opened = now();
    const auto connected = co_await open(std::move(address));
    if (!connected) {
        all_.counted.failed("channel: " + to_string(connected.error()));
        co_return life_.channel_ended({.why = reason::broken}, now());
    }
    session_.restart(session::agent_terms{}, opened);
    frames_ = muster::agent_protocol::frame_reader();
    owed_.clear();
    session_.feed(&agent_session::open);
    co_await turn_channel();
    if (std::exchange(standing_, false)) --all_.counted.attached_now;
    out_.clear();
    tasks_.channel_lost();
    stream_.reset();
    co_return std::exchange(owed_, {});
}

async<void> swarm_agent::open(std::string address) {
    const auto passage = co_await deps_.door.enter();
    if (!passage) co_return fail(errc::cancelled, "the swarm ends");
    CO_TRY(auto where, net::parse_endpoint(address));
    net::destination to{.where = std::move(where), .tls = all_.channel_tls};
    CO_TRY(stream_, co_await within(all_.clock, connect_time, net::connect(std::move(to))));
    co_return result<void>();
}

asio::awaitable<void> swarm_agent::turn_channel() {
    const auto opened = now();
    net::watchdog::watched deadline(deps_.deadlines, *stream_);
    while (true) {
        const progress blocked = turn();
        if (session_->attached() && !standing_) {
            standing_ = true;
            ++all_.counted.attached_now;
            all_.counted.attached_after(now() - opened);
        }
        // What the life wants beside the channel (a look at another place) waits for no beat.
        while (!owed_.empty() && !session_->ended()) {
            auto next = std::move(owed_.front());
            owed_.erase(owed_.begin());
            if (std::holds_alternative<lifecycle::close_channel>(next)) co_return;
            auto more = co_await carry_out(std::move(next));
            owed_.insert(owed_.end(), more.begin(), more.end());
        }
        if (session_->ended() || blocked == progress::ended) co_return;
        const auto wake = life_.next_deadline().value_or(instant::max());
        deadline.arm(std::min(session_->deadline(), wake));
        const auto [interrupted] = co_await stream_->wait_for(blocked);
        if (!interrupted) continue;
        session_.feed(&agent_session::expire);
        if (now() >= wake) owed_ = life_.expire(now());
    }
}

progress swarm_agent::turn() {
    std::array<char, 4096> into{};
    while (true) {
        progress blocked = progress::ended;
        if (!flush(blocked)) return blocked;
        if (session_->ended()) return progress::ended;
        const auto result = stream_->try_read(into);
        if (result.what == progress::wants_read || result.what == progress::wants_write)
            return result.what;
        if (result.what != progress::done) {
            session_.feed(
                &agent_session::lost,
                result.what == progress::ended ? reason::closed : reason::broken);
            continue;
        }
        frames_.feed(std::string_view(into.data(), result.size));
        while (!session_->ended()) {
            const auto frame = frames_.next();
            if (!frame) session_.feed(&agent_session::malformed);
            if (!frame || !*frame) break;
            take(**frame);
        }
        tasks_.read_done(out_, moment());
    }
}

bool swarm_agent::flush(progress& blocked) {
    while (!out_.empty()) {
        const auto result = stream_->try_write(out_);
        if (result.what == progress::done) {
            out_.erase(0, result.size);
            continue;
        }
        blocked = result.what;
        if (result.what == progress::wants_read || result.what == progress::wants_write)
            return false;
        session_.feed(&agent_session::lost, reason::broken);
        blocked = progress::ended;
        return false;
    }
    release_memory(out_);
    return true;
}

void swarm_agent::take(const Frame& frame) {
    const auto over = [](const auto& response) {
        return session::channel_over{
            .why = static_cast<reason>(response.reason()),
            .address = response.address(),
            .retry_after = std::chrono::milliseconds(response.retry_after_ms())};
    };
    switch (frame.kind_case()) {
        case Frame::kWelcome:
            session_.feed(
                &agent_session::welcomed,
                session::channel_terms{
                    .heartbeat = std::chrono::milliseconds(frame.welcome().heartbeat_ms()),
                    .silence = std::chrono::milliseconds(frame.welcome().silence_ms())});
            if (!session_->attached()) return;
            owed_ = life_.welcomed(now());
            tasks_.attached(out_, moment());
            return;
        case Frame::kRefusal:
            session_.feed(&agent_session::dismissed, over(frame.refusal()));
            return;
        case Frame::kGoodbye:
            session_.feed(&agent_session::dismissed, over(frame.goodbye()));
            return;
        case Frame::kBeat:
            session_.feed(&agent_session::beat, frame.beat().fenced());
            return;
        case Frame::kFactsTaken:
            session_.feed(&agent_session::other_frame);
            return;
        default:
            if (session_->attached() && tasks_.take(frame, moment())) {
                session_.feed(&agent_session::other_frame);
            } else {
                session_.feed(&agent_session::malformed);
            }
            return;
    }
}

result<void> swarm_agent::hello() {
    TRY(const auto binding, stream_->channel_binding());
    TRY(auto proof, pki::make_agent_proof(key_, binding));
    Frame frame;
    frame.mutable_hello()->set_proof(std::move(proof));
    frame.mutable_hello()->set_version(MUSTER_VERSION);
    frame.mutable_hello()->set_start(all_.start);
    muster::agent_protocol::append(out_, frame);
    return {};
}

void swarm_agent::perform(const session::send_hello& /*effect*/) {
    if (!hello()) session_.feed(&agent_session::lost, reason::broken);
}

void swarm_agent::perform(const session::send_heartbeat& effect) {
    Frame frame;
    frame.mutable_beat()->set_sequence(effect.sequence);
    muster::agent_protocol::append(out_, frame);
    ++all_.counted.beats;
}

void swarm_agent::perform(const session::node_fenced& /*effect*/) {
    owed_ = life_.fenced(now());
}

void swarm_agent::perform(const session::channel_over& effect) {
    all_.counted.ended(effect.why);
    owed_ = life_.channel_ended(
        {.why = effect.why, .address = effect.address, .retry_after = effect.retry_after}, now());
}

}  // namespace muster::swarm
