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
// - All effects of an input are performed before the next input is fed. What an effect handler
//   feeds (the effect's outcome, or news of something else) waits in line: neither the machine nor
//   a handler is ever entered twice.
// - When feed() returns to the outermost caller, nothing waits any more.
// - A handler that throws ends its own input: the effects behind it are not performed, because
//   their order may matter. Waiting inputs are fed all the same; then the first exception goes on
//   to the caller of feed().
//
// The owner has
//   perform(const E&)  for every effect E of the machine's variant
//   now()              the time as the machine takes it (instant, or a type of its own)
//   settled()          called when nothing waits any more; it may feed again
// and arms the machine's timer (deadline_timer.h, or what a connection waits with anyway).
//
// An idle driver holds the machine and two pointers, and no memory of its own. Not thread-safe;
// use it from one strand. The owner must outlive a call of feed().
template <class Machine, class Owner>
class effect_driver {
public:
    // A handler that answers each input with another one would never end.
    static constexpr std::size_t waiting_max = 1'000'000;

    template <class... Arguments>
    explicit effect_driver(Owner& owner, Arguments&&... machine)
        : owner_(&owner), machine_(std::forward<Arguments>(machine)...) {}
    effect_driver(const effect_driver&) = delete;
    effect_driver& operator=(const effect_driver&) = delete;
    ~effect_driver() = default;

    // Reading is free; inputs go through feed().
    const Machine& operator*() const { return machine_; }
    const Machine* operator->() const { return &machine_; }

    // A machine that begins anew. Not from within an effect.
    template <class... Arguments>
    void restart(Arguments&&... machine) {
        MUSTER_ASSERT(line_ == nullptr);
        machine_ = Machine(std::forward<Arguments>(machine)...);
    }

    template <class Input, class... Arguments>
    void feed(Input input, Arguments&&... arguments) {
        if (line_ == nullptr) {
            drive([&] { apply(input, std::forward<Arguments>(arguments)...); });
            return;
        }
        MUSTER_ASSERT(line_->waiting.size() < waiting_max);
        line_->waiting.emplace_back(
            [input, ... kept = std::forward<Arguments>(arguments)](effect_driver& self) mutable {
                self.apply(input, std::move(kept)...);
            });
    }

    // For an input that the machine may refuse: its method returns result<effects>. Whoever feeds
    // it needs the answer at once, so not from within an effect.
    template <class Input, class... Arguments>
    [[nodiscard]] result<void> try_feed(Input input, Arguments&&... arguments) {
        MUSTER_ASSERT(line_ == nullptr);
        result<void> answer;
        drive([&] {
            auto result = call(input, std::forward<Arguments>(arguments)...);
            if (!result) {
                answer = fail(result.error());
            } else {
                perform(*std::move(result));
            }
        });
        return answer;
    }

private:
    // Lives as long as the outermost feed().
    struct line {
        std::vector<std::move_only_function<void(effect_driver&)>> waiting;
        std::size_t next = 0;
        std::exception_ptr failure;
    };

    template <class First>
    void drive(const First& first) {
        line current;
        line_ = &current;
        attempt(first);
        do {
            while (current.next < current.waiting.size()) {
                auto input = std::move(current.waiting[current.next++]);
                attempt([&] { input(*this); });
            }
            attempt([&] { owner_->settled(); });
        } while (current.next < current.waiting.size());
        line_ = nullptr;
        if (current.failure) std::rethrow_exception(current.failure);
    }

    template <class Step>
    void attempt(const Step& step) {
        try {
            step();
        } catch (...) {
            if (!line_->failure) line_->failure = std::current_exception();
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
        using answer = decltype(call(input, std::forward<Arguments>(arguments)...));
        if constexpr (std::is_void_v<answer>) {
            call(input, std::forward<Arguments>(arguments)...);
        } else {
            perform(call(input, std::forward<Arguments>(arguments)...));
        }
    }

    template <class Effects>
    void perform(const Effects& effects) {
        for (const auto& each : effects)
            std::visit([this](const auto& effect) { owner_->perform(effect); }, each);
    }

    Owner* owner_;
    line* line_ = nullptr;  // while effects are performed
    Machine machine_;
};

}  // namespace muster::runtime
