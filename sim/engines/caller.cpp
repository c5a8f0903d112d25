#include "sim/engines/caller.h"

#include <algorithm>
#include <utility>

namespace muster::sim {

caller::caller(cluster& stage, process& host, std::string engine, caller_options options)
    : stage_(stage),
      host_(host),
      life_(host.present()),
      me_(stage.network.open_port(stage.address_of(host.name()))),
      engine_(stage.address_of(engine)),
      options_(options),
      client_(static_cast<std::uint64_t>(me_.value())) {
    stage.network.listen(me_, life_, [this](address, const std::string& bytes) { receive(bytes); });
    host.on_crash([this] { static_cast<void>(std::exchange(pending_, {})); });
}

void caller::call(question question, completion<std::string> done) {
    if (!life_.alive) return;  // a process that is being destroyed has nobody to answer to
    if (pending_.size() >= options_.calls_max) {
        return done(fail(errc::unavailable, "too many calls at the same time"));
    }
    const std::uint64_t number = ++last_call_;
    const instant deadline = host_.clock().now() + options_.timeout + question.hold;
    pending_.emplace(
        number,
        pending{.what = std::move(question), .done = std::move(done), .deadline = deadline});
    attempt(number);
}

void caller::attempt(std::uint64_t call_number) {
    const auto it = pending_.find(call_number);
    if (it == pending_.end()) return;
    pending& pending = it->second;
    const instant now = host_.clock().now();
    if (now >= pending.deadline) return give_up(it);
    if (pending.asked_life == 0 && knows_engine_for(pending, now))
        pending.asked_life = engine_life_;
    const request_packet packet{
        .client = client_,
        .call = call_number,
        .done_below = pending_.begin()->first,
        .engine_life = pending.asked_life,
        .hold = pending.what.hold,
        .body = pending.asked_life == 0 ? std::string() : pending.what.body,
    };
    stage_.network.send(me_, engine_, encode(packet));
    const instant next =
        std::min(pending.deadline, now + options_.attempt_time + pending.what.hold);
    host_.clock().call_at(next, [this, call_number] { attempt(call_number); });
}

bool caller::knows_engine_for(const pending& pending, instant now) const {
    if (engine_life_ == 0) return false;
    return pending.what.then != in_doubt::tell || now - last_heard_ <= options_.silence_max;
}

void caller::give_up(pending_map::iterator iterator) {
    auto& probes = stage_.world.probes;
    const pending& pending = iterator->second;
    if (pending.asked_life != 0 && pending.what.then != in_doubt::ask_again) {
        probes.reached(probe::outcome_ambiguous);
        return finish(iterator, fail(errc::timed_out, "the engine did not answer"));
    }
    probes.reached(probe::engine_unreachable);
    finish(iterator, fail(errc::unavailable, "the engine cannot be reached"));
}

void caller::finish(pending_map::iterator iterator, result<std::string> outcome) {
    const auto done = std::move(iterator->second.done);
    pending_.erase(iterator);
    done(std::move(outcome));
}

void caller::receive(std::string_view bytes) {
    auto packet = decode<reply_packet>(bytes);
    if (!packet || packet->client != client_) return;
    engine_life_ = std::max(engine_life_, packet->engine_life);
    last_heard_ = host_.clock().now();
    const auto it = pending_.find(packet->call);
    if (it == pending_.end()) return;
    if (packet->kind == reply_kind::other_life) {
        return meet_other_life(it, packet->engine_life);
    }
    finish(it, std::move(packet->body));
}

void caller::meet_other_life(pending_map::iterator iterator, std::uint64_t engine_life) {
    pending& pending = iterator->second;
    if (pending.asked_life >= engine_life) return;  // an old reply to an earlier attempt
    if (pending.asked_life != 0) stage_.world.probes.reached(probe::request_of_former_life);
    if (pending.asked_life != 0 && pending.what.then == in_doubt::tell) {
        stage_.world.probes.reached(probe::outcome_ambiguous);
        return finish(iterator, fail(errc::timed_out, "the engine crashed before it answered"));
    }
    pending.asked_life = engine_life_;
    attempt(iterator->first);
}

}  // namespace muster::sim
