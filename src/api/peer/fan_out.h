#pragma once

#include "ports/async.h"
#include "ports/clock.h"
#include "ports/deadline.h"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace muster::api {

struct fan_out_limits {
    monotonic::duration timeout = std::chrono::seconds(10);  // for all requests together
    std::size_t at_once_max = 64;
};

// Runs many requests, several at a time, and returns their results in order. A failed request does
// not affect the others. At the timeout, running requests end with errc::timed_out and those not
// started with errc::unavailable.
//
// Not thread-safe; call from one executor.
class fan_out {
public:
    fan_out(muster::clock& clock, fan_out_limits limits) : clock_(clock), limits_(limits) {}

    // `request` takes the index (std::size_t) and returns an async<T>.
    template <class T, class Request>
    async<std::vector<result<T>>> request_all(std::size_t count, Request request) const;

private:
    template <class T, class Request>
    struct round {
        Request request;
        instant deadline;
        std::vector<result<T>> results;
        std::size_t next = 0;
    };

    template <class T, class Request>
    boost::asio::awaitable<void> request_some(round<T, Request>& round_state) const;
    // Runs `count` copies of `work` concurrently and waits for all of them.
    static boost::asio::awaitable<void> run(
        std::size_t count, std::function<boost::asio::awaitable<void>()> work);

    muster::clock& clock_;
    fan_out_limits limits_;
};

template <class T, class Request>
boost::asio::awaitable<void> fan_out::request_some(round<T, Request>& round_state) const {
    while (round_state.next < round_state.results.size()) {
        auto& result_slot = round_state.results[round_state.next];
        const auto index = round_state.next++;
        const auto remaining = round_state.deadline - clock_.now();
        if (remaining <= monotonic::duration::zero()) co_return;
        result_slot = co_await within(clock_, remaining, round_state.request(index));
        if (!result_slot && result_slot.error().code() == errc::cancelled) co_return;
    }
}

template <class T, class Request>
async<std::vector<result<T>>> fan_out::request_all(std::size_t count, Request request) const {
    const result<T> not_requested = fail(errc::unavailable, "request not sent before the timeout");
    round<T, Request> round_state{
        .request = std::move(request),
        .deadline = clock_.now() + limits_.timeout,
        .results = std::vector<result<T>>(count, not_requested)};
    co_await run(std::min(count, limits_.at_once_max), [this, &round_state] {
        return request_some(round_state);
    });
    co_return std::move(round_state.results);
}

}  // namespace muster::api
