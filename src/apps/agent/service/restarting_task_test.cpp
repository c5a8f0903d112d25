#include "apps/agent/service/restarting_task.h"

#include "runtime/task_group.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/until.h"

#include <boost/asio/this_coro.hpp>
#include <doctest/doctest.h>

#include <stdexcept>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

struct part {
    runtime::system_clock clock;
    agent::log log{{.level = runtime::log_level::error}, clock};
    int starts = 0;
    int failures = 0;  // so many are to come

    boost::asio::awaitable<void> run() {
        ++starts;
        if (failures-- > 0) throw std::runtime_error("as the test wants it");
        ignore_error(co_await clock.sleep_for(1h), "until it is cancelled");
    }
    boost::asio::awaitable<void> run_with_restart() {
        return muster::agent::run_with_restart(
            {.name = "part",
             .create =
                 [this] {
                     return run();
                 }},
            backoff({.first = 1ms, .longest = 2ms}, prng(1)),
            clock,
            log);
    }
};

boost::asio::awaitable<void> fail_and_last(part* part, bool* failed) {
    runtime::task_group tasks(
        co_await boost::asio::this_coro::executor,
        [failed](const std::string&, std::exception_ptr) { *failed = true; });
    tasks.spawn("part", part->run_with_restart());
    co_await harness::until(
        part->clock, "the part to stand", [part] { return part->failures < 0; });
    CHECK(tasks.size() == 1);
    tasks.cancel();
    co_await tasks.join();
}

TEST_CASE("a part of the agent that fails is started again until it stands, and can be stopped") {
    part part{.failures = 5};
    bool failed = false;
    harness::real_event_loop world;
    world.run(fail_and_last(&part, &failed));

    CHECK(part.starts == 6);
    CHECK_FALSE(failed);
}

TEST_CASE("what an exception says is told") {
    CHECK(to_text(std::make_exception_ptr(std::runtime_error("full"))) == "full");
    CHECK(to_text(std::make_exception_ptr(5)) == "unknown exception");
}

}  // namespace
}  // namespace muster::agent
