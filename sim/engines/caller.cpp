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

void caller::call(question what, completion<std::string> done) {
    if (!life_.alive) return;  // a process that is being destroyed has nobody to answer to
    if (pending_.size() >= options_.calls_max) {
        return done(fail(errc::unavailable, "too many calls at the same time"));
    }
    const std::uint64_t number = ++last_call_;
    const instant deadline = host_.time().now() + options_.patience + what.hold;
    pending_.emplace(
        number, pending{.what = std::move(what), .done = std::move(done), .deadline = deadline});
    attempt(number);
}

void caller::attempt(std::uint64_t call_number) {
    const auto found = pending_.find(call_number);
    if (found == pending_.end()) return;
    pending& mine = found->second;
    const instant now = host_.time().now();
    if (now >= mine.deadline) return give_up(found);
    if (mine.asked_life == 0 && knows_engine_for(mine, now)) mine.asked_life = engine_life_;
    const request_packet packet{
        .client = client_,
        .call = call_number,
        .done_below = pending_.begin()->first,
        .engine_life = mine.asked_life,
        .hold = mine.what.hold,
        .body = mine.asked_life == 0 ? std::string() : mine.what.body,
    };
    stage_.network.send(me_, engine_, encode(packet));
    const instant next = std::min(mine.deadline, now + options_.attempt_time + mine.what.hold);
    host_.time().call_at(next, [this, call_number] { attempt(call_number); });
}

bool caller::knows_engine_for(const pending& what, instant now) const {
    if (engine_life_ == 0) return false;
    return what.what.then != in_doubt::tell || now - last_heard_ <= options_.silence_max;
}

void caller::give_up(pending_map::iterator which) {
    auto& probes = stage_.world.probes;
    const pending& mine = which->second;
    if (mine.asked_life != 0 && mine.what.then != in_doubt::ask_again) {
        probes.reached(probe::outcome_ambiguous);
        return finish(which, fail(errc::timed_out, "the engine did not answer"));
    }
    probes.reached(probe::engine_unreachable);
    finish(which, fail(errc::unavailable, "the engine cannot be reached"));
}

void caller::finish(pending_map::iterator which, result<std::string> outcome) {
    const auto done = std::move(which->second.done);
    pending_.erase(which);
    done(std::move(outcome));
}

void caller::receive(std::string_view bytes) {
    auto packet = decode<reply_packet>(bytes);
    if (!packet || packet->client != client_) return;
    engine_life_ = std::max(engine_life_, packet->engine_life);
    last_heard_ = host_.time().now();
    const auto found = pending_.find(packet->call);
    if (found == pending_.end()) return;
    if (packet->kind == reply_kind::other_life) {
        return meet_other_life(found, packet->engine_life);
    }
    finish(found, std::move(packet->body));
}

void caller::meet_other_life(pending_map::iterator which, std::uint64_t engine_life) {
    pending& mine = which->second;
    if (mine.asked_life >= engine_life) return;  // an old reply to an earlier attempt
    if (mine.asked_life != 0) stage_.world.probes.reached(probe::request_of_former_life);
    if (mine.asked_life != 0 && mine.what.then == in_doubt::tell) {
        stage_.world.probes.reached(probe::outcome_ambiguous);
        return finish(which, fail(errc::timed_out, "the engine crashed before it answered"));
    }
    mine.asked_life = engine_life_;
    attempt(which->first);
}

}  // namespace muster::sim
