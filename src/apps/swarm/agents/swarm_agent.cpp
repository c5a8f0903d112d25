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

monotonic::duration retry_after(const net::http::client_response& response) {
    const auto field = response.field("retry-after");
    unsigned seconds = 0;
    if (!field) return {};
    std::from_chars(field->data(), field->data() + field->size(), seconds);
    return std::chrono::seconds(seconds);
}

// 32 digits, as systemd writes them.
std::string to_machine_id(std::string fingerprint) {
    std::erase(fingerprint, ':');
    return fingerprint.substr(0, 32);
}

std::optional<system_state> parse_state(const net::http::client_response& response) {
    if (response.status != 200 || response.body.size() != 1) return std::nullopt;
    return state_of_digit(response.body.front());
}

}  // namespace

swarm_agent::swarm_agent(
    const swarm_context& context, dependencies deps, std::uint64_t number, pki::private_key key)
    : context_(context),
      deps_(deps),
      number_(number),
      key_(std::move(key)),
      print_(pki::pem_fingerprint(key_.public_half().to_pem()).value().str()),
      life_cycle_(context.life, prng(number)),
      session_(*this, session::agent_session_options{}, instant()),
      tasks_(context.counters, {.payloads = &deps.payloads, .agent = number}) {}

swarm_agent::~swarm_agent() {
    if (attached_) --context_.counters.attached_now;
}

asio::awaitable<void> swarm_agent::run(monotonic::duration first_pause) {
    ignore_error(
        co_await context_.clock.sleep_for(first_pause), "a cancelled agent stops at its next wait");
    effects queue = life_cycle_.start(now());
    while (!life_cycle_.is_stopped()) {
        if (queue.empty()) {
            const auto deadline =
                life_cycle_.next_deadline().value_or(now() + std::chrono::seconds(1));
            const auto waited = co_await context_.clock.sleep_until(deadline);
            if (!waited) co_return;
            queue = life_cycle_.expire(now());
            continue;
        }
        auto effect = std::move(queue.front());
        queue.erase(queue.begin());
        auto further = co_await execute(std::move(effect));
        queue.insert(
            queue.end(),
            std::make_move_iterator(further.begin()),
            std::make_move_iterator(further.end()));
    }
    ++context_.counters.stopped;
}

asio::awaitable<swarm_agent::effects> swarm_agent::execute(agent_effect effect) {
    if (const auto* status = std::get_if<lifecycle::request_status>(&effect))
        co_return co_await request_status(status->entry);
    if (const auto* enrol = std::get_if<lifecycle::enrol>(&effect))
        co_return co_await request_enrolment(enrol->entry);
    if (const auto* placement = std::get_if<lifecycle::request_placement>(&effect))
        co_return co_await request_placement(placement->entry);
    if (const auto* open = std::get_if<lifecycle::open_connection>(&effect))
        co_return co_await run_connection(open->address);
    co_return effects();  // a swarm has no state actions; a connection is closed by its own loop
}

swarm_agent::effects swarm_agent::failed(const std::string& error, monotonic::duration retry) {
    context_.counters.count_failure(error);
    return life_cycle_.on_request_failed(retry, now());
}

async<net::http::client_response> swarm_agent::send(net::http::client_request request) {
    const auto permit = co_await deps_.connect_limiter.acquire();
    if (!permit) co_return fail(errc::cancelled, "swarm is stopping");
    if (!client_)
        client_ = std::make_unique<net::http::client>(net::http::client::options{
            .clock = &context_.clock,
            .tls = context_.http_tls,
            .limits = {.connect_time = connect_time},
            .agent = key_});
    co_return co_await client_->send(std::move(request));
}

asio::awaitable<swarm_agent::effects> swarm_agent::request_status(std::size_t entry) {
    ++context_.counters.knocks;
    const auto response =
        co_await send({.url = context_.entries.at(entry) + "/system/status?fp=" + print_});
    if (!response) co_return failed("status request: " + to_string(response.error()));
    const auto state = parse_state(*response);
    // A system that waits for acceptance keeps no connection open.
    if (state != system_state::orphan) client_.reset();
    if (!state)
        co_return failed(
            "status request: status " + std::to_string(response->status), retry_after(*response));
    co_return life_cycle_.on_state(*state, now());
}

asio::awaitable<swarm_agent::effects> swarm_agent::request_enrolment(std::size_t entry) {
    ++context_.counters.enrolments;
    const auto name = context_.name_prefix + std::to_string(number_);
    boost::json::object body{
        {"name", name},
        {"machine_id", to_machine_id(print_)},
        {"version", MUSTER_VERSION},
        {"facts", {{"os.name", "swarm"}}}};
    if (!context_.activation_key.empty()) body["activation_key"] = context_.activation_key;
    net::http::client_request request{
        .method = "POST",
        .url = context_.entries.at(entry) + "/system/enroll",
        .fields = {{"Content-Type", "application/json"}},
        .body = boost::json::serialize(body)};
    const auto response = co_await send(std::move(request));
    client_.reset();
    if (!response) co_return failed("enrolment: " + to_string(response.error()));
    if (const auto state = parse_state(*response)) co_return life_cycle_.on_state(*state, now());
    co_return failed(
        "enrolment: status " + std::to_string(response->status) + " " + response->body,
        retry_after(*response));
}

asio::awaitable<swarm_agent::effects> swarm_agent::request_placement(std::size_t entry) {
    const auto response =
        co_await send({.url = context_.entries.at(entry) + "/system/orphan?fp=" + print_});
    client_.reset();
    if (!response) co_return failed("placement request: " + to_string(response.error()));
    switch (response->status) {
        case 200:
            ++context_.counters.placements;
            co_return life_cycle_.on_placement(response->body, now());
        case 204:
            ++context_.counters.unplaced;
            co_return life_cycle_.on_no_placement(retry_after(*response), now());
        case 403:
            co_return life_cycle_.on_not_accepted(now());
        case 410:
            co_return life_cycle_.on_state(system_state::deleted, now());
        default:
            co_return failed(
                "placement request: status " + std::to_string(response->status),
                retry_after(*response));
    }
}

asio::awaitable<swarm_agent::effects> swarm_agent::run_connection(std::string address) {
    const auto opened = now();
    const auto connected = co_await open(std::move(address));
    if (!connected) {
        context_.counters.count_failure("node connection: " + to_string(connected.error()));
        co_return life_cycle_.on_connection_end({.why = reason::broken}, now());
    }
    session_.restart(session::agent_session_options{}, opened);
    frames_ = muster::agent_protocol::frame_reader();
    pending_.clear();
    session_.feed(&agent_session::open);
    co_await serve_connection();
    if (std::exchange(attached_, false)) --context_.counters.attached_now;
    outbox_.clear();
    tasks_.channel_lost();
    stream_.reset();
    co_return std::exchange(pending_, {});
}

async<void> swarm_agent::open(std::string address) {
    const auto permit = co_await deps_.connect_limiter.acquire();
    if (!permit) co_return fail(errc::cancelled, "swarm is stopping");
    CO_TRY(auto endpoint, net::parse_endpoint(address));
    net::destination destination{.address = std::move(endpoint), .tls = context_.channel_tls};
    CO_TRY(
        stream_,
        co_await within(context_.clock, connect_time, net::connect(std::move(destination))));
    co_return result<void>();
}

asio::awaitable<void> swarm_agent::serve_connection() {
    const auto opened = now();
    net::watchdog::stream_deadline deadline(deps_.deadlines, *stream_);
    while (true) {
        const progress blocked = read_and_write();
        if (session_->is_attached() && !attached_) {
            attached_ = true;
            ++context_.counters.attached_now;
            context_.counters.count_attach(now() - opened);
        }
        // Effects such as a request for another placement do not wait for a heartbeat.
        while (!pending_.empty() && !session_->is_ended()) {
            auto effect = std::move(pending_.front());
            pending_.erase(pending_.begin());
            if (std::holds_alternative<lifecycle::close_connection>(effect)) co_return;
            auto further = co_await execute(std::move(effect));
            pending_.insert(pending_.end(), further.begin(), further.end());
        }
        if (session_->is_ended() || blocked == progress::ended) co_return;
        const auto life_cycle_deadline = life_cycle_.next_deadline().value_or(instant::max());
        deadline.arm(std::min(session_->deadline(), life_cycle_deadline));
        const auto [interrupted] = co_await stream_->wait_for(blocked);
        if (!interrupted) continue;
        session_.feed(&agent_session::expire);
        if (now() >= life_cycle_deadline) pending_ = life_cycle_.expire(now());
    }
}

progress swarm_agent::read_and_write() {
    std::array<char, 4096> buffer{};
    while (true) {
        progress blocked = progress::ended;
        if (!flush(blocked)) return blocked;
        if (session_->is_ended()) return progress::ended;
        const auto step = stream_->try_read(buffer);
        if (step.state == progress::wants_read || step.state == progress::wants_write)
            return step.state;
        if (step.state != progress::done) {
            session_.feed(
                &agent_session::on_connection_lost,
                step.state == progress::ended ? reason::closed : reason::broken);
            continue;
        }
        frames_.feed(std::string_view(buffer.data(), step.size));
        while (!session_->is_ended()) {
            const auto frame = frames_.next();
            if (!frame) session_.feed(&agent_session::on_malformed);
            if (!frame || !*frame) break;
            handle(**frame);
        }
        tasks_.read_done(outbox_, moment());
    }
}

bool swarm_agent::flush(progress& blocked) {
    while (!outbox_.empty()) {
        const auto step = stream_->try_write(outbox_);
        if (step.state == progress::done) {
            outbox_.erase(0, step.size);
            continue;
        }
        blocked = step.state;
        if (step.state == progress::wants_read || step.state == progress::wants_write) return false;
        session_.feed(&agent_session::on_connection_lost, reason::broken);
        blocked = progress::ended;
        return false;
    }
    release_memory(outbox_);
    return true;
}

void swarm_agent::handle(const Frame& frame) {
    const auto to_ending = [](const auto& message) {
        return session::disconnect{
            .why = static_cast<reason>(message.reason()),
            .address = message.address(),
            .retry_after = std::chrono::milliseconds(message.retry_after_ms())};
    };
    switch (frame.kind_case()) {
        case Frame::kWelcome:
            session_.feed(
                &agent_session::on_welcome,
                session::heartbeat_options{
                    .interval = std::chrono::milliseconds(frame.welcome().heartbeat_ms()),
                    .timeout = std::chrono::milliseconds(frame.welcome().silence_ms())});
            if (!session_->is_attached()) return;
            pending_ = life_cycle_.on_welcome(now());
            tasks_.attached(outbox_, moment());
            return;
        case Frame::kRefusal:
            session_.feed(&agent_session::on_dismissed, to_ending(frame.refusal()));
            return;
        case Frame::kGoodbye:
            session_.feed(&agent_session::on_dismissed, to_ending(frame.goodbye()));
            return;
        case Frame::kBeat:
            session_.feed(&agent_session::on_heartbeat, frame.beat().fenced());
            return;
        case Frame::kFactsTaken:
            session_.feed(&agent_session::on_frame);
            return;
        default:
            if (session_->is_attached() && tasks_.handle(frame, moment())) {
                session_.feed(&agent_session::on_frame);
            } else {
                session_.feed(&agent_session::on_malformed);
            }
            return;
    }
}

result<void> swarm_agent::queue_hello() {
    TRY(const auto binding, stream_->channel_binding());
    TRY(auto proof, pki::create_agent_proof(key_, binding));
    Frame frame;
    frame.mutable_hello()->set_proof(std::move(proof));
    frame.mutable_hello()->set_version(MUSTER_VERSION);
    frame.mutable_hello()->set_start(context_.start);
    muster::agent_protocol::append(outbox_, frame);
    return {};
}

void swarm_agent::perform(const session::send_hello& /*effect*/) {
    if (!queue_hello()) session_.feed(&agent_session::on_connection_lost, reason::broken);
}

void swarm_agent::perform(const session::send_heartbeat& effect) {
    Frame frame;
    frame.mutable_beat()->set_sequence(effect.sequence);
    muster::agent_protocol::append(outbox_, frame);
    ++context_.counters.beats;
}

void swarm_agent::perform(const session::node_fenced& /*effect*/) {
    pending_ = life_cycle_.on_node_fenced(now());
}

void swarm_agent::perform(const session::disconnect& effect) {
    context_.counters.count_ending(effect.why);
    pending_ = life_cycle_.on_connection_end(
        {.why = effect.why, .address = effect.address, .retry_after = effect.retry_after}, now());
}

}  // namespace muster::swarm
