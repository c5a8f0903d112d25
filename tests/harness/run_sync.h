#pragma once

#include "ports/async.h"
#include "tests/harness/real_event_loop.h"

#include <optional>
#include <utility>

namespace muster::harness {

namespace detail {

template <class T>
boost::asio::awaitable<void> keep_answer(async<T> question, std::optional<result<T>>& answer) {
    answer = co_await std::move(question);
}

}  // namespace detail

// Runs one port call to its end on an event loop of its own.
template <class T>
result<T> run_sync(async<T> question) {
    real_event_loop world;
    std::optional<result<T>> answer;
    world.run(detail::keep_answer(std::move(question), answer));
    return *std::move(answer);
}

}  // namespace muster::harness
