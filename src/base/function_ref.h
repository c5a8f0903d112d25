#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace muster {

// A reference to a callable: two pointers, no allocation. It also accepts callables that cannot be
// copied. It owns nothing, and usually refers to a temporary lambda.
//
// Only for parameters of plain functions that call it before they return. Never keep one in a
// member or pass one to a coroutine: both outlive the temporary. Use a std::function by value
// there.
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
          call_([](target target, Arguments... arguments) -> Result {
              using pointer = std::add_pointer_t<const std::remove_reference_t<Callable>>;
              using mutable_pointer = std::add_pointer_t<std::remove_reference_t<Callable>>;
              auto& object = *const_cast<mutable_pointer>(static_cast<pointer>(target.object));
              return std::invoke_r<Result>(object, std::forward<Arguments>(arguments)...);
          }) {}

    constexpr explicit(false) function_ref(Result (*function)(Arguments...)) noexcept
        : target_{.function = function}, call_([](target target, Arguments... arguments) -> Result {
              return target.function(std::forward<Arguments>(arguments)...);
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
    Result (*call_)(target target, Arguments... arguments);
};

}  // namespace muster
