#include "base/backoff.h"
#include "base/bounded_queue.h"
#include "base/hex.h"
#include "base/prng.h"
#include "base/result.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

namespace muster {
namespace {

using namespace std::chrono_literals;

result<int> half(int number) {
    if (number % 2 != 0) return fail(errc::invalid, "odd");
    return number / 2;
}

result<int> quarter(int number) {
    TRY(const int once, half(number));
    TRY(const int twice, half(once));
    return twice;
}

TEST_CASE("TRY goes straight down on success and leaves with the first failure") {
    CHECK(quarter(8).value() == 2);
    CHECK(quarter(6).error() == error(errc::invalid, "odd"));
}

TEST_CASE("an error tells its code, its detail and the step it happened in") {
    const error full(errc::unavailable, "disk full");

    CHECK(to_string(full.within("opening the ledger"))
          == "unavailable: opening the ledger: disk full");
}

TEST_CASE("the same seed draws the same numbers on every machine") {
    prng random(1234567);

    CHECK(random.next() == 6457827717110365317U);
    CHECK(random.fork().next() != random.next());
}

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

TEST_CASE("a full queue says no and keeps what it has in order") {
    bounded_queue<std::string> frames(2);
    REQUIRE(frames.try_push("first"));
    REQUIRE(frames.try_push("second"));

    CHECK_FALSE(frames.try_push("third"));
    CHECK(frames.pop() == "first");
    CHECK(frames.pop() == "second");
    CHECK(frames.empty());
}

TEST_CASE("every byte string survives the way through hexadecimal") {
    CHECK(rc::check([](const std::string& bytes) {
        RC_ASSERT(from_hex(to_hex(bytes)).value() == bytes);
    }));
    CHECK(from_hex("abc").error().code() == errc::invalid);
    CHECK(from_hex("zz").error().code() == errc::invalid);
    CHECK(from_hex("DEad").value() == "\xde\xad");
}

}  // namespace
}  // namespace muster
