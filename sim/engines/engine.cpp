#include "sim/engines/engine.h"

#include <utility>

namespace muster::sim {

namespace {

struct logged_group {
    instant time;
    std::vector<std::string> requests;
};

void fields(auto& archive, is<logged_group> auto& value) {
    archive(value.time, value.requests);
}

}  // namespace

engine::engine(
    sim::cluster& cluster, process& host, std::unique_ptr<machine> machine, engine_options options)
    : cluster_(cluster),
      host_(host),
      life_(host.current_life()),
      own_address_(cluster.address_of(host.name())),
      machine_(std::move(machine)),
      options_(options),
      journal_(cluster.simulation, host.storage()) {
    cluster.network.listen(own_address_, life_, [this](address from, const std::string& bytes) {
        receive(from, bytes);
    });
    host.on_stop([this] { resign(); });
}

void engine::receive(address from, std::string_view bytes) {
    auto packet = decode<request_packet>(bytes);
    if (!packet || !recovered_ || resigned_) return;  // clients repeat the request
    if (packet->engine_life != life_.number) {
        return send(
            from,
            {.client = packet->client,
             .call = packet->call,
             .engine_life = life_.number,
             .kind = reply_kind::other_life,
             .body = {}});
    }
    if (is_new(from, *packet)) accept(from, *std::move(packet));
}

// An answered request gets the same reply again. A request in progress, or one that its client has
// abandoned, is dropped.
bool engine::is_new(address from, const request_packet& packet) {
    auto& session = sessions_[packet.client];
    if (packet.done_below > session.done_below) {
        session.done_below = packet.done_below;
        session.answers.erase(
            session.answers.begin(), session.answers.lower_bound(packet.done_below));
    }
    if (packet.call < session.done_below) return false;
    const auto it = session.answers.find(packet.call);
    if (it == session.answers.end()) {
        session.answers.emplace(packet.call, std::nullopt);
        return true;
    }
    cluster_.simulation.probes.reached(probe::request_repeated);
    if (it->second) {
        send(
            from,
            {.client = packet.client,
             .call = packet.call,
             .engine_life = life_.number,
             .kind = reply_kind::answer,
             .body = *it->second});
    }
    return false;
}

void engine::accept(address from, request_packet packet) {
    request request{
        .from = from,
        .client = packet.client,
        .call = packet.call,
        .hold_until = host_.clock().now() + packet.hold,
        .body = std::move(packet.body)};
    if (queue_.size() >= options_.queue_max || parked_.size() >= options_.parked_max) {
        cluster_.simulation.probes.reached(probe::engine_queue_full);
        const error reason(errc::unavailable, "engine queue is full");
        return reply(request, machine_->refusal(reason));
    }
    if (packet.hold.count() > 0 && !machine_->is_ready(request.body))
        return park(std::move(request));
    enqueue(std::move(request));
}

void engine::reply(const request& request, std::string body) {
    if (resigned_) return;
    auto& session = sessions_[request.client];
    const auto it = session.answers.find(request.call);
    if (it == session.answers.end()) return;  // its client has given up
    it->second = body;
    send(
        request.from,
        {.client = request.client,
         .call = request.call,
         .engine_life = life_.number,
         .kind = reply_kind::answer,
         .body = std::move(body)});
}

void engine::send(address to, const reply_packet& packet) {
    cluster_.network.send(own_address_, to, encode(packet));
}

void engine::enqueue(request request) {
    queue_.push_back(std::move(request));
    wake();
}

void engine::park(request request) {
    const std::uint64_t number = ++last_parked_;
    host_.clock().call_at(request.hold_until, [this, number] {
        auto match = parked_.extract(number);
        if (!match.empty()) enqueue(std::move(match.mapped()));
    });
    parked_.emplace(number, std::move(request));
}

void engine::unpark_ready() {
    for (auto next = parked_.begin(); next != parked_.end();) {
        const auto current = next++;
        if (!machine_->is_ready(current->second.body)) continue;
        enqueue(std::move(parked_.extract(current).mapped()));
    }
}

void engine::wake() {
    if (const auto waiting = std::exchange(sleeping_, nullptr)) waiting(result<void>());
}

void engine::wake_at(std::optional<instant> when) {
    if (!when || (next_wake_ && *next_wake_ <= *when)) return;
    next_wake_ = when;
    host_.clock().call_at(*when, [this, when] {
        if (next_wake_ == when) next_wake_.reset();
        wake();
    });
}

async<void> engine::wait_for_work() {
    return await_callback<void>([this](completion<void> done) { sleeping_ = std::move(done); });
}

boost::asio::awaitable<void> engine::serve() {
    const auto ready = co_await recover();
    if (!ready) co_return crash(ready.error());
    while (!resigned_ || !queue_.empty()) {
        const bool overdue = machine_->next_deadline() <= host_.clock().now()
                             && machine_->next_deadline().has_value();
        if (queue_.empty() && !overdue) {
            wake_at(machine_->next_deadline());
            ignore_error(co_await wait_for_work(), "the wait only wakes the loop");
        }
        const auto served = co_await serve_group();
        if (!served) co_return crash(served.error());
    }
    host_.crash_soon();
}

async<void> engine::recover() {
    CO_TRY(const journal::contents contents, co_await journal_.open());
    if (contents.checkpoint) {
        CO_CHECK_OK(machine_->restore(*contents.checkpoint, host_.clock().now()));
    }
    for (const auto& record : contents.records) {
        CO_TRY(const logged_group group, decode<logged_group>(record));
        for (const auto& request : group.requests) machine_->apply(request, group.time);
    }
    machine_->recovered(host_.clock().now());
    cluster_.simulation.note("recovered", host_.name(), contents.records.size());
    recovered_ = true;
    co_return result<void>();
}

async<void> engine::serve_group() {
    std::vector<request> group;
    while (!queue_.empty() && group.size() < options_.group_max) {
        group.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    const instant now = host_.clock().now();
    logged_group record{.time = now, .requests = machine_->expire(now)};
    const bool expired_some = !record.requests.empty();
    std::size_t logged = 0;
    for (const auto& request : group) {
        if (!machine_->is_logged(request.body)) continue;
        record.requests.push_back(request.body);
        ++logged;
    }
    if (logged > 1) cluster_.simulation.probes.reached(probe::group_of_many);
    result<void> durable;
    if (!record.requests.empty()) durable = co_await journal_.append(encode(record));
    if (!durable) {
        // An expiry that is applied in memory but not in the journal must not become visible.
        if (durable.error().code() != errc::unavailable || expired_some) co_return durable;
        cluster_.simulation.probes.reached(probe::journal_write_refused);
    }
    for (const auto& request : group) {
        const bool refused = !durable && machine_->is_logged(request.body);
        reply(
            request,
            refused ? machine_->refusal(durable.error()) : machine_->apply(request.body, now));
    }
    unpark_ready();
    co_return co_await checkpoint_if_due();
}

async<void> engine::checkpoint_if_due() {
    if (journal_.record_bytes() < options_.journal_bytes_max) co_return result<void>();
    auto state = machine_->snapshot(host_.clock().now());
    if (!state) co_return result<void>();
    const auto written = co_await journal_.checkpoint(*std::move(state));
    // A full disk has no space for a checkpoint; the journal continues without one.
    if (!written && written.error().code() != errc::unavailable) co_return written;
    co_return result<void>();
}

void engine::resign() {
    if (std::exchange(resigned_, true)) return;
    cluster_.simulation.probes.reached(probe::leader_changed);
    prng& random = cluster_.simulation.random("leader of " + host_.name());
    if (random.chance(250)) return host_.crash_soon();  // its disk can lose what it was writing
    std::erase_if(queue_, [&random](const request& /*request*/) { return random.chance(500); });
    parked_.clear();
    cluster_.simulation.note("resigned", host_.name(), queue_.size());
    wake();
}

void engine::crash(const error& reason) {
    cluster_.simulation.note("engine died", to_string(reason));
    host_.crash_soon();
}

}  // namespace muster::sim
