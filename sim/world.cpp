#include "sim/world.h"

#include "base/assert.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::sim {

world::world(std::uint64_t seed) : faults(prng(seed ^ 0xfa17).next()), seed_(seed) {
    lives_.emplace_back();
}

world::~world() {
    // Destroying an event may destroy a coroutine, which posts once more: to the dead, in vain.
    for (auto& live : lives_) live.alive = false;
    const auto ready = std::exchange(ready_, {});
    const auto timers = std::exchange(timers_, {});
}

prng& world::random(const std::string& part) {
    const auto it = parts_.find(part);
    if (it != parts_.end()) return it->second;
    return parts_.emplace(part, prng(prng(seed_ ^ digest(part)).next())).first->second;
}

life& world::begin_life() {
    lives_.push_back({.number = lives_.size()});
    return lives_.back();
}

void world::end_life(life& whose) {
    MUSTER_ASSERT(running_ != &whose);
    whose.alive = false;
    const auto is_dead = [](const event& event) {
        return !event.whose->alive;
    };
    std::vector<event> dead;
    for (auto& each : ready_) {
        if (is_dead(each)) dead.push_back(std::move(each));
    }
    std::erase_if(ready_, is_dead);
    const auto [first, last] = std::ranges::partition(timers_, std::not_fn(is_dead));
    dead.insert(dead.end(), std::make_move_iterator(first), std::make_move_iterator(last));
    timers_.erase(first, last);
    std::ranges::make_heap(timers_, later());
    // The order of destruction can be seen by what is destroyed, so it must not vary.
    std::ranges::sort(dead, {}, &event::sequence);
}

void world::pause(life& whose, instant until) {
    whose.paused_until = std::max(whose.paused_until, until);
}

void world::post(life& whose, action action) {
    if (!whose.alive) return;
    ready_.push_back({now_, sequence_++, &whose, std::move(action)});
}

void world::at(life& whose, instant when, action action) {
    if (when <= now_) return post(whose, std::move(action));
    if (!whose.alive) return;
    timers_.push_back({when, sequence_++, &whose, std::move(action)});
    std::ranges::push_heap(timers_, later());
}

bool world::ready_comes_first() const {
    if (ready_.empty()) return false;
    if (timers_.empty()) return true;
    const auto& timer = timers_.front();
    return timer.when > now_ || timer.sequence > ready_.front().sequence;
}

world::event world::take_next() {
    if (ready_comes_first()) {
        event next = std::move(ready_.front());
        ready_.pop_front();
        return next;
    }
    std::ranges::pop_heap(timers_, later());
    event next = std::move(timers_.back());
    timers_.pop_back();
    return next;
}

void world::advance_to(instant when) {
    if (when <= now_) {
        MUSTER_ASSERT(++events_this_instant_ < limits::events_per_instant_max);
        return;
    }
    now_ = when;
    events_this_instant_ = 0;
}

bool world::step(instant end) {
    if (ready_.empty() && (timers_.empty() || timers_.front().when > end)) return false;
    event next = take_next();
    advance_to(next.when);
    if (next.whose->paused_until > now_) {
        next.when = next.whose->paused_until;
        timers_.push_back(std::move(next));
        std::ranges::push_heap(timers_, later());
        return true;
    }
    ++events_run_;
    tracing.fold(static_cast<std::uint64_t>(now_.time_since_epoch().count()) ^ next.sequence);
    running_ = next.whose;
    next.what();
    running_ = nullptr;
    return true;
}

void world::run_until(instant end) {
    while (step(end)) {}
    if (now_ < end) now_ = end;
}

void world::violated(std::string text) {
    note("violated", text);
    if (violations_.size() < limits::violations_max) violations_.push_back(std::move(text));
}

std::uint64_t world::hash() const {
    trace whole = tracing;
    whole.fold(events_run_);
    for (const auto& [name, random] : parts_) {
        prng copy = random;
        whole.fold(copy.next());
    }
    return whole.hash();
}

}  // namespace muster::sim
