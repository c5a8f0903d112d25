#include "base/backoff.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <rapidcheck.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a backoff never waits longer than its ceiling, which doubles up to the longest") {
    CHECK(rc::check([](std::uint64_t seed) {
        backoff wait({.first = 100ms, .longest = 1s}, prng(seed));
        for (const auto ceiling : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
            const auto drawn = wait.next();
            RC_ASSERT(drawn > 0ns);
            RC_ASSERT(drawn <= ceiling);
        }
        wait.reset();
        RC_ASSERT(wait.next() <= 100ms);
    }));
}

}  // namespace
}  // namespace muster
