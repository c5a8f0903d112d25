#include "sim/engines/engine_client.h"

#include <algorithm>
#include <utility>

namespace muster::sim {

engine_client::engine_client(
    sim::cluster& cluster, process& host, std::string engine, engine_client_options options)
    : cluster_(cluster),
      host_(host),
      life_(host.current_life()),
      own_address_(cluster.network.open_port(cluster.address_of(host.name()))),
      engine_address_(cluster.address_of(engine)),
      options_(options),
      client_(static_cast<std::uint64_t>(own_address_.value())) {
    cluster.network.listen(
        own_address_, life_, [this](address, const std::string& bytes) { receive(bytes); });
    host.on_crash([this] { static_cast<void>(std::exchange(pending_, {})); });
}

void engine_client::call(request request, completion<std::string> done) {
    if (!life_.alive) return;  // a process that is being destroyed expects no reply
    if (pending_.size() >= options_.calls_max) {
        return done(fail(errc::unavailable, "limit of concurrent calls reached"));
    }
    const std::uint64_t number = ++last_call_;
    const instant deadline = host_.clock().now() + options_.timeout + request.hold;
    pending_.emplace(
        number,
        pending{.request = std::move(request), .done = std::move(done), .deadline = deadline});
    attempt(number);
}

void engine_client::attempt(std::uint64_t call_number) {
    const auto it = pending_.find(call_number);
    if (it == pending_.end()) return;
    pending& pending = it->second;
    const instant now = host_.clock().now();
    if (now >= pending.deadline) return give_up(it);
    if (pending.sent_to_life == 0 && may_send_body(pending, now))
        pending.sent_to_life = engine_life_;
    const request_packet packet{
        .client = client_,
        .call = call_number,
        .done_below = pending_.begin()->first,
        .engine_life = pending.sent_to_life,
        .hold = pending.request.hold,
        .body = pending.sent_to_life == 0 ? std::string() : pending.request.body,
    };
    cluster_.network.send(own_address_, engine_address_, encode(packet));
    const instant next =
        std::min(pending.deadline, now + options_.attempt_time + pending.request.hold);
    host_.clock().call_at(next, [this, call_number] { attempt(call_number); });
}

bool engine_client::may_send_body(const pending& pending, instant now) const {
    if (engine_life_ == 0) return false;
    return pending.request.retry != retry_mode::report || now - last_heard_ <= options_.silence_max;
}

void engine_client::give_up(pending_map::iterator iterator) {
    auto& probes = cluster_.simulation.probes;
    const pending& pending = iterator->second;
    if (pending.sent_to_life != 0 && pending.request.retry != retry_mode::repeat) {
        probes.reached(probe::outcome_ambiguous);
        return finish(iterator, fail(errc::timed_out, "engine did not respond"));
    }
    probes.reached(probe::engine_unreachable);
    finish(iterator, fail(errc::unavailable, "engine is unreachable"));
}

void engine_client::finish(pending_map::iterator iterator, result<std::string> outcome) {
    const auto done = std::move(iterator->second.done);
    pending_.erase(iterator);
    done(std::move(outcome));
}

void engine_client::receive(std::string_view bytes) {
    auto packet = decode<reply_packet>(bytes);
    if (!packet || packet->client != client_) return;
    engine_life_ = std::max(engine_life_, packet->engine_life);
    last_heard_ = host_.clock().now();
    const auto it = pending_.find(packet->call);
    if (it == pending_.end()) return;
    if (packet->kind == reply_kind::other_life) {
        return handle_other_life(it, packet->engine_life);
    }
    finish(it, std::move(packet->body));
}

void engine_client::handle_other_life(pending_map::iterator iterator, std::uint64_t engine_life) {
    pending& pending = iterator->second;
    if (pending.sent_to_life >= engine_life) return;  // an old reply to an earlier attempt
    if (pending.sent_to_life != 0)
        cluster_.simulation.probes.reached(probe::request_of_former_life);
    if (pending.sent_to_life != 0 && pending.request.retry == retry_mode::report) {
        cluster_.simulation.probes.reached(probe::outcome_ambiguous);
        return finish(iterator, fail(errc::timed_out, "engine crashed before the response"));
    }
    pending.sent_to_life = engine_life_;
    attempt(iterator->first);
}

}  // namespace muster::sim
