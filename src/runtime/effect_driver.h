#pragma once

#include "base/assert.h"
#include "base/result.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace muster::runtime {

// Drives one machine of core/: feeds it inputs, one at a time, and has the owner perform the
// effects of each in order.
//
// - An input is one of the machine's methods. The driver adds the owner's time to the arguments if
//   the method takes one.
// - All effects of an input are performed before the next input is fed. Inputs that an effect
//   handler feeds are queued: neither the machine nor a handler is entered recursively.
// - When feed() returns to the outermost caller, the queue is empty.
// - A handler that throws ends its own input: the remaining effects are not performed, because
//   their order may matter. Queued inputs are still fed; then the first exception is rethrown to
//   the caller of feed().
//
// The owner has
//   perform(const E&)  for every effect E of the machine's variant
//   now()              the time as the machine takes it (instant, or a type of its own)
//   settled()          called when the queue is empty; it may feed again
// and arms the machine's timer (deadline_timer.h, or a timer of its connection).
//
// An idle driver holds the machine and two pointers, and allocates nothing. Not thread-safe; use it
// from one strand. The owner must outlive a call of feed().
template <class Machine, class Owner>
class effect_driver {
public:
    // Stops a handler that feeds another input for each effect, endlessly.
    static constexpr std::size_t waiting_max = 1'000'000;

    template <class... Arguments>
    explicit effect_driver(Owner& owner, Arguments&&... machine)
        : owner_(&owner), machine_(std::forward<Arguments>(machine)...) {}
    effect_driver(const effect_driver&) = delete;
    effect_driver& operator=(const effect_driver&) = delete;
    ~effect_driver() = default;

    // Read access; inputs go through feed().
    const Machine& operator*() const { return machine_; }
    const Machine* operator->() const { return &machine_; }

    // Replaces the machine by a new one. Do not call it from an effect handler.
    template <class... Arguments>
    void restart(Arguments&&... machine) {
        MUSTER_ASSERT(queue_ == nullptr);
        machine_ = Machine(std::forward<Arguments>(machine)...);
    }

    template <class Input, class... Arguments>
    void feed(Input input, Arguments&&... arguments) {
        if (queue_ == nullptr) {
            drive([&] { apply(input, std::forward<Arguments>(arguments)...); });
            return;
        }
        MUSTER_ASSERT(queue_->waiting.size() < waiting_max);
        queue_->waiting.emplace_back(
            [input, ... stored = std::forward<Arguments>(arguments)](effect_driver& self) mutable {
                self.apply(input, std::move(stored)...);
            });
    }

    // For an input that the machine may refuse: its method returns result<effects>. Do not call it
    // from an effect handler, because it cannot be queued.
    template <class Input, class... Arguments>
    [[nodiscard]] result<void> try_feed(Input input, Arguments&&... arguments) {
        MUSTER_ASSERT(queue_ == nullptr);
        result<void> outcome;
        drive([&] {
            auto result = call(input, std::forward<Arguments>(arguments)...);
            if (!result) {
                outcome = fail(result.error());
            } else {
                perform(*std::move(result));
            }
        });
        return outcome;
    }

private:
    // Lives as long as the outermost feed().
    struct input_queue {
        std::vector<std::move_only_function<void(effect_driver&)>> waiting;
        std::size_t next = 0;
        std::exception_ptr failure;
    };

    template <class First>
    void drive(const First& first) {
        input_queue queue;
        queue_ = &queue;
        attempt(first);
        do {
            while (queue.next < queue.waiting.size()) {
                auto input = std::move(queue.waiting[queue.next++]);
                attempt([&] { input(*this); });
            }
            attempt([&] { owner_->settled(); });
        } while (queue.next < queue.waiting.size());
        queue_ = nullptr;
        if (queue.failure) std::rethrow_exception(queue.failure);
    }

    template <class Step>
    void attempt(const Step& step) {
        try {
            step();
        } catch (...) {
            if (!queue_->failure) queue_->failure = std::current_exception();
        }
    }

    template <class Input, class... Arguments>
    auto call(Input input, Arguments&&... arguments) {
        using time = decltype(owner_->now());
        if constexpr (std::is_invocable_v<Input, Machine&, Arguments&&..., time>) {
            return std::invoke(
                input, machine_, std::forward<Arguments>(arguments)..., owner_->now());
        } else {
            return std::invoke(input, machine_, std::forward<Arguments>(arguments)...);
        }
    }

    template <class Input, class... Arguments>
    void apply(Input input, Arguments&&... arguments) {
        using returned = decltype(call(input, std::forward<Arguments>(arguments)...));
        if constexpr (std::is_void_v<returned>) {
            call(input, std::forward<Arguments>(arguments)...);
        } else {
            perform(call(input, std::forward<Arguments>(arguments)...));
        }
    }

    template <class Effects>
    void perform(const Effects& effects) {
        for (const auto& variant : effects)
            std::visit([this](const auto& effect) { owner_->perform(effect); }, variant);
    }

    Owner* owner_;
    input_queue* queue_ = nullptr;  // while effects are performed
    Machine machine_;
};

}  // namespace muster::runtime
