#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace muster {

// A reference to something that can be called: two pointers, no allocation, and callables that
// cannot be copied will do. It owns nothing, and usually refers to a temporary lambda.
//
// Only for parameters of plain functions that call it before they return. Never keep one in a
// member, and never make it a parameter of a coroutine: the frame of the coroutine outlives the
// temporary. These take a std::function by value.
template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
public:
    template <class Callable>
        requires(!std::same_as<std::remove_cvref_t<Callable>, function_ref>
                 && !std::is_function_v<std::remove_reference_t<Callable>>
                 && std::is_invocable_r_v<Result, Callable&, Arguments...>)
    constexpr explicit(false) function_ref(Callable&& callable) noexcept
        : target_{.object = std::addressof(callable)},
          call_([](target to, Arguments... arguments) -> Result {
              using pointer = std::add_pointer_t<const std::remove_reference_t<Callable>>;
              using mutable_pointer = std::add_pointer_t<std::remove_reference_t<Callable>>;
              auto& object = *const_cast<mutable_pointer>(static_cast<pointer>(to.object));
              return std::invoke_r<Result>(object, std::forward<Arguments>(arguments)...);
          }) {}

    constexpr explicit(false) function_ref(Result (*function)(Arguments...)) noexcept
        : target_{.function = function}, call_([](target to, Arguments... arguments) -> Result {
              return to.function(std::forward<Arguments>(arguments)...);
          }) {}

    constexpr Result operator()(Arguments... arguments) const {
        return call_(target_, std::forward<Arguments>(arguments)...);
    }

private:
    union target {
        const void* object;
        Result (*function)(Arguments...);
    };

    target target_;
    Result (*call_)(target to, Arguments... arguments);
};

}  // namespace muster
