#include "sim/engines/engine.h"

#include <utility>

namespace muster::sim {

namespace {

struct logged_group {
    instant at;
    std::vector<std::string> requests;
};

void fields(auto& archive, is<logged_group> auto& what) {
    archive(what.at, what.requests);
}

}  // namespace

engine::engine(
    cluster& stage, process& host, std::unique_ptr<machine> machine, engine_options options)
    : stage_(stage),
      host_(host),
      life_(host.present()),
      me_(stage.address_of(host.name())),
      machine_(std::move(machine)),
      options_(options),
      journal_(stage.world, host.storage()) {
    stage.network.listen(
        me_, life_, [this](address from, const std::string& bytes) { receive(from, bytes); });
    host.on_stop([this] { resign(); });
}

void engine::receive(address from, std::string_view bytes) {
    auto packet = decode<request_packet>(bytes);
    if (!packet || !recovered_ || resigned_) return;  // callers ask again
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

// A request that was answered is answered again with the same words; one that is being worked on,
// or that its caller has given up, is dropped.
bool engine::is_new(address from, const request_packet& packet) {
    session& with = sessions_[packet.client];
    if (packet.done_below > with.done_below) {
        with.done_below = packet.done_below;
        with.answers.erase(with.answers.begin(), with.answers.lower_bound(packet.done_below));
    }
    if (packet.call < with.done_below) return false;
    const auto it = with.answers.find(packet.call);
    if (it == with.answers.end()) {
        with.answers.emplace(packet.call, std::nullopt);
        return true;
    }
    stage_.world.probes.reached(probe::request_repeated);
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
        .until = host_.clock().now() + packet.hold,
        .body = std::move(packet.body)};
    if (queue_.size() >= options_.queue_max || parked_.size() >= options_.parked_max) {
        stage_.world.probes.reached(probe::engine_queue_full);
        const error why(errc::unavailable, "the engine has too much to do");
        return reply(request, machine_->refusal(why));
    }
    if (packet.hold.count() > 0 && !machine_->is_ready(request.body))
        return park(std::move(request));
    enqueue(std::move(request));
}

void engine::reply(const request& to, std::string body) {
    if (resigned_) return;
    session& with = sessions_[to.client];
    const auto it = with.answers.find(to.call);
    if (it == with.answers.end()) return;  // its caller has given up meanwhile
    it->second = body;
    send(
        to.from,
        {.client = to.client,
         .call = to.call,
         .engine_life = life_.number,
         .kind = reply_kind::answer,
         .body = std::move(body)});
}

void engine::send(address to, const reply_packet& packet) {
    stage_.network.send(me_, to, encode(packet));
}

void engine::enqueue(request request) {
    queue_.push_back(std::move(request));
    wake();
}

void engine::park(request request) {
    const std::uint64_t number = ++last_parked_;
    host_.clock().call_at(request.until, [this, number] {
        auto match = parked_.extract(number);
        if (!match.empty()) enqueue(std::move(match.mapped()));
    });
    parked_.emplace(number, std::move(request));
}

void engine::unpark_ready() {
    for (auto parked = parked_.begin(); parked != parked_.end();) {
        const auto here = parked++;
        if (!machine_->is_ready(here->second.body)) continue;
        enqueue(std::move(parked_.extract(here).mapped()));
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

async<void> engine::work_to_do() {
    return completed<void>([this](completion<void> done) { sleeping_ = std::move(done); });
}

boost::asio::awaitable<void> engine::serve() {
    const auto ready = co_await recover();
    if (!ready) co_return die(ready.error());
    while (!resigned_ || !queue_.empty()) {
        const bool overdue = machine_->next_deadline() <= host_.clock().now()
                             && machine_->next_deadline().has_value();
        if (queue_.empty() && !overdue) {
            wake_at(machine_->next_deadline());
            ignore_error(co_await work_to_do(), "waking is all it does");
        }
        const auto served = co_await serve_group();
        if (!served) co_return die(served.error());
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
        for (const auto& request : group.requests) machine_->apply(request, group.at);
    }
    machine_->recovered(host_.clock().now());
    stage_.world.note("recovered", host_.name(), contents.records.size());
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
    logged_group record{.at = now, .requests = machine_->expire(now)};
    const bool expired_some = !record.requests.empty();
    std::size_t logged = 0;
    for (const auto& each : group) {
        if (!machine_->is_logged(each.body)) continue;
        record.requests.push_back(each.body);
        ++logged;
    }
    if (logged > 1) stage_.world.probes.reached(probe::group_of_many);
    result<void> durable;
    if (!record.requests.empty()) durable = co_await journal_.append(encode(record));
    if (!durable) {
        // What has expired in memory but not in the journal must not be seen.
        if (durable.error().code() != errc::unavailable || expired_some) co_return durable;
        stage_.world.probes.reached(probe::journal_write_refused);
    }
    for (const auto& each : group) {
        const bool refused = !durable && machine_->is_logged(each.body);
        reply(each, refused ? machine_->refusal(durable.error()) : machine_->apply(each.body, now));
    }
    unpark_ready();
    co_return co_await checkpoint_if_due();
}

async<void> engine::checkpoint_if_due() {
    if (journal_.record_bytes() < options_.journal_bytes_max) co_return result<void>();
    auto state = machine_->snapshot(host_.clock().now());
    if (!state) co_return result<void>();
    const auto reserved = co_await journal_.checkpoint(*std::move(state));
    // A full disk has no room for a checkpoint; the journal as it is serves as well.
    if (!reserved && reserved.error().code() != errc::unavailable) co_return reserved;
    co_return result<void>();
}

void engine::resign() {
    if (std::exchange(resigned_, true)) return;
    stage_.world.probes.reached(probe::leader_changed);
    prng& random = stage_.world.random("leader of " + host_.name());
    if (random.chance(250)) return host_.crash_soon();  // what it was writing, its disk may lose
    std::erase_if(queue_, [&random](const request& /*each*/) { return random.chance(500); });
    parked_.clear();
    stage_.world.note("resigned", host_.name(), queue_.size());
    wake();
}

void engine::die(const error& why) {
    stage_.world.note("engine died", to_string(why));
    host_.crash_soon();
}

}  // namespace muster::sim
