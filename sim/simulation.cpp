#include "sim/simulation.h"

#include "base/assert.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::sim {

simulation::simulation(std::uint64_t seed) : faults(prng(seed ^ 0xfa17).next()), seed_(seed) {
    lives_.emplace_back();
}

simulation::~simulation() {
    // Destroying an event can destroy a coroutine, which posts again. A dead life ignores the post.
    for (auto& life : lives_) life.alive = false;
    const auto ready = std::exchange(ready_, {});
    const auto timers = std::exchange(timers_, {});
}

prng& simulation::random(const std::string& part) {
    const auto it = parts_.find(part);
    if (it != parts_.end()) return it->second;
    return parts_.emplace(part, prng(prng(seed_ ^ digest(part)).next())).first->second;
}

life& simulation::begin_life() {
    lives_.push_back({.number = lives_.size()});
    return lives_.back();
}

void simulation::end_life(life& owner) {
    MUSTER_ASSERT(running_ != &owner);
    owner.alive = false;
    const auto is_dead = [](const event& event) {
        return !event.owner->alive;
    };
    std::vector<event> dead;
    for (auto& pending : ready_) {
        if (is_dead(pending)) dead.push_back(std::move(pending));
    }
    std::erase_if(ready_, is_dead);
    const auto [first, last] = std::ranges::partition(timers_, std::not_fn(is_dead));
    dead.insert(dead.end(), std::make_move_iterator(first), std::make_move_iterator(last));
    timers_.erase(first, last);
    std::ranges::make_heap(timers_, later());
    // Destructors have visible effects, so their order must not vary.
    std::ranges::sort(dead, {}, &event::sequence);
}

void simulation::pause(life& owner, instant until) {
    owner.paused_until = std::max(owner.paused_until, until);
}

void simulation::post(life& owner, action action) {
    if (!owner.alive) return;
    ready_.push_back({now_, sequence_++, &owner, std::move(action)});
}

void simulation::at(life& owner, instant when, action action) {
    if (when <= now_) return post(owner, std::move(action));
    if (!owner.alive) return;
    timers_.push_back({when, sequence_++, &owner, std::move(action)});
    std::ranges::push_heap(timers_, later());
}

bool simulation::ready_comes_first() const {
    if (ready_.empty()) return false;
    if (timers_.empty()) return true;
    const auto& timer = timers_.front();
    return timer.when > now_ || timer.sequence > ready_.front().sequence;
}

simulation::event simulation::pop_next() {
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

void simulation::advance_to(instant when) {
    if (when <= now_) {
        MUSTER_ASSERT(++events_this_instant_ < limits::events_per_instant_max);
        return;
    }
    now_ = when;
    events_this_instant_ = 0;
}

bool simulation::step(instant end) {
    if (ready_.empty() && (timers_.empty() || timers_.front().when > end)) return false;
    event next = pop_next();
    advance_to(next.when);
    if (next.owner->paused_until > now_) {
        next.when = next.owner->paused_until;
        timers_.push_back(std::move(next));
        std::ranges::push_heap(timers_, later());
        return true;
    }
    ++events_run_;
    tracing.fold(static_cast<std::uint64_t>(now_.time_since_epoch().count()) ^ next.sequence);
    running_ = next.owner;
    next.action();
    running_ = nullptr;
    return true;
}

void simulation::run_until(instant end) {
    while (step(end)) {}
    if (now_ < end) now_ = end;
}

void simulation::violated(std::string text) {
    note("violated", text);
    if (violations_.size() < limits::violations_max) violations_.push_back(std::move(text));
}

std::uint64_t simulation::hash() const {
    trace result = tracing;
    result.fold(events_run_);
    for (const auto& [name, random] : parts_) {
        prng copy = random;
        result.fold(copy.next());
    }
    return result.hash();
}

}  // namespace muster::sim
