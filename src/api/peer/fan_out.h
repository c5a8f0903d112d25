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
    monotonic::duration timeout = std::chrono::seconds(10);  // for all of them together
    std::size_t at_once_max = 64;
};

// Asks many the same question, several at a time, and gives their answers in the order in which
// they were named. One that fails fails nobody else's part. Nothing takes longer than the timeout:
// who has not answered by then has errc::timed_out, who was not even asked errc::unavailable.
//
// Lives on one executor with its callers.
class fan_out {
public:
    fan_out(muster::clock& clock, fan_out_limits allowed) : clock_(clock), allowed_(allowed) {}

    // `one` asks the one at that place: it takes a std::size_t and returns an async<T>.
    template <class T, class One>
    async<std::vector<result<T>>> ask(std::size_t count, One one) const;

private:
    template <class T, class One>
    struct round {
        One one;
        instant until;
        std::vector<result<T>> answers;
        std::size_t next = 0;
    };

    template <class T, class One>
    boost::asio::awaitable<void> ask_some(round<T, One>& of) const;
    // As often as said, at the same time, until all have ended.
    static boost::asio::awaitable<void> run(
        std::size_t times, std::function<boost::asio::awaitable<void>()> work);

    muster::clock& clock_;
    fan_out_limits allowed_;
};

template <class T, class One>
boost::asio::awaitable<void> fan_out::ask_some(round<T, One>& of) const {
    while (of.next < of.answers.size()) {
        auto& answer = of.answers[of.next];
        const auto at = of.next++;
        const auto left = of.until - clock_.now();
        if (left <= monotonic::duration::zero()) co_return;
        answer = co_await within(clock_, left, of.one(at));
        if (!answer && answer.error().code() == errc::cancelled) co_return;
    }
}

template <class T, class One>
async<std::vector<result<T>>> fan_out::ask(std::size_t count, One one) const {
    const result<T> unasked = fail(errc::unavailable, "there was no time left to ask");
    round<T, One> all{
        .one = std::move(one),
        .until = clock_.now() + allowed_.timeout,
        .answers = std::vector<result<T>>(count, unasked)};
    co_await run(std::min(count, allowed_.at_once_max), [this, &all] { return ask_some(all); });
    co_return std::move(all.answers);
}

}  // namespace muster::api
