#include "ports/deadline.h"
#include "ports/race.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

namespace muster::runtime {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

template <class T>
T run(asio::awaitable<T> work) {
    asio::io_context loop;
    std::optional<T> outcome;
    std::exception_ptr failure;
    asio::co_spawn(loop, std::move(work), [&](std::exception_ptr thrown, T value) {
        failure = thrown;
        outcome = std::move(value);
    });
    loop.run();
    if (failure) std::rethrow_exception(failure);
    return std::move(*outcome);
}

async<int> answer_from_another_thread(std::thread& worker) {
    co_return co_await await_callback<int>([&worker](completion<int> done) {
        worker = std::thread([done = std::move(done)] { done(42); });
    });
}

async<int> never(completion<int>& stored) {
    co_return co_await await_callback<int>(
        [&stored](completion<int> done) { stored = std::move(done); });
}

async<int> run_sync(int value) {
    co_return value;
}

async<int> answer_twice() {
    co_return co_await await_callback<int>([](const completion<int>& done) {
        done(1);
        done(2);
    });
}

async<int> broken_answer() {
    throw std::runtime_error("broken");
    co_return 0;
}

async<void> trouble_at_once() {
    co_return fail(errc::unavailable, "the client has gone");
}

async<void> no_trouble(completion<void>& stored) {
    co_return co_await await_callback<void>(
        [&stored](completion<void> done) { stored = std::move(done); });
}

asio::awaitable<void> throw_at_once() {
    throw std::runtime_error("broken");
    co_return;
}

asio::awaitable<void> sleep_long(system_clock& clock) {
    ignore_error(co_await clock.sleep_for(1h), "cancelled by the test");
}

TEST_CASE("a completion from another thread resumes the waiting coroutine") {
    std::thread worker;

    CHECK(run(answer_from_another_thread(worker)).value() == 42);

    worker.join();
}

TEST_CASE("an event loop may be gone as soon as the coroutine that was completed has ended") {
    for (int times = 0; times < 200; ++times) {
        std::thread worker;
        CHECK(run(answer_from_another_thread(worker)).has_value());
        worker.join();
    }
}

TEST_CASE("a wait that outlives its deadline ends with timed_out, and its late answer is dropped") {
    system_clock clock;
    completion<int> stored;

    CHECK(run(within(clock, 1ms, never(stored))).error().code() == errc::timed_out);

    stored(7);
}

TEST_CASE("a completion that is called twice counts once") {
    CHECK(run(answer_twice()).value() == 1);
}

TEST_CASE("work is waited for unless trouble comes first, which cancels it") {
    completion<void> trouble;
    completion<int> stored;

    CHECK(run(await_unless(no_trouble(trouble), run_sync(7))).value() == 7);

    const auto troubled = run(await_unless(trouble_at_once(), never(stored)));
    CHECK(troubled.error() == error(errc::unavailable, "the client has gone"));
    stored(7);
}

TEST_CASE("what the work throws is thrown on, and ends the trouble") {
    completion<void> trouble;

    CHECK_THROWS_AS(
        ignore_error(run(await_unless(no_trouble(trouble), broken_answer())), "it throws"),
        std::runtime_error);
}

TEST_CASE("a task group reports failures by name and lets nothing outlive it") {
    asio::io_context loop;
    system_clock clock;
    std::string failed;
    task_group tasks(
        loop.get_executor(), [&](const std::string& name, std::exception_ptr) { failed = name; });
    tasks.spawn("broken task", throw_at_once());
    tasks.spawn("sleeper", sleep_long(clock));

    while (failed.empty()) loop.run_one();
    CHECK(failed == "broken task");
    CHECK(tasks.size() == 1);
    tasks.cancel();
    loop.run();
    CHECK(tasks.size() == 0);
}

TEST_CASE("what is spawned into a cancelled task group is cancelled, too") {
    asio::io_context loop;
    system_clock clock;
    task_group tasks(loop.get_executor(), [](const std::string&, std::exception_ptr) {});
    tasks.cancel();
    asio::post(loop, [&] { tasks.spawn("late sleeper", sleep_long(clock)); });
    tasks.spawn("ended at once", throw_at_once());

    loop.run();

    CHECK(tasks.size() == 0);
}

}  // namespace
}  // namespace muster::runtime
