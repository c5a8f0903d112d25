#include "api/peer/fan_out.h"

#include "runtime/clock.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

// Answers with the number it was asked for; some fail, some never come to an end.
struct crowd {
    runtime::system_clock clock;
    std::set<std::size_t> silent = {};
    std::set<std::size_t> failing = {};
    std::size_t now = 0;
    std::size_t most = 0;
    std::size_t asked = 0;

    async<std::size_t> one(std::size_t at) {
        ++asked;
        most = std::max(most, ++now);
        const monotonic::duration pause = silent.contains(at) ? 1h : 1ms;
        const auto slept = co_await clock.sleep_for(pause);
        --now;
        if (!slept) co_return fail(slept.error());
        if (failing.contains(at)) co_return fail(errc::denied, "not you");
        co_return at;
    }

    std::vector<result<std::size_t>> ask(std::size_t count, fan_out_limits allowed) {
        const fan_out all(clock, allowed);
        const auto work = [this](std::size_t at) {
            return one(at);
        };
        return run_sync(all.request_all<std::size_t>(count, work)).value();
    }
};

TEST_CASE("answers come in the order of asking, so many at a time, and one failure is one part's") {
    crowd there;
    there.failing = {3};
    const auto answers = there.ask(20, {.timeout = 1min, .at_once_max = 4});
    REQUIRE(answers.size() == 20);
    for (std::size_t at = 0; at < answers.size(); ++at) {
        if (at == 3)
            CHECK(answers[at].error().code() == errc::denied);
        else
            CHECK(answers[at].value() == at);
    }
    CHECK(there.most == 4);
    CHECK(there.ask(0, {}).empty());
}

TEST_CASE(
    "who is silent holds up nobody beyond the patience, and who was not asked is told apart") {
    crowd there;
    there.silent = {1, 2};
    const auto begun = there.clock.now();
    const auto answers = there.ask(4, {.timeout = 1s, .at_once_max = 2});
    CHECK(there.clock.now() - begun < 30s);
    REQUIRE(answers.size() == 4);
    CHECK(answers[0].value() == 0);
    CHECK(answers[1].error().code() == errc::timed_out);
    CHECK(answers[2].error().code() == errc::timed_out);
    CHECK(answers[3].error().code() == errc::unavailable);
    CHECK(there.asked == 3);
    CHECK(there.now == 0);
}

}  // namespace
}  // namespace muster::api
