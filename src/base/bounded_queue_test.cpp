#include "base/bounded_queue.h"

#include <doctest/doctest.h>

#include <string>

namespace muster {
namespace {

TEST_CASE("a full queue says no and keeps what it has in order") {
    bounded_queue<std::string> frames(2);
    REQUIRE(frames.try_push("first"));
    REQUIRE(frames.try_push("second"));

    CHECK_FALSE(frames.try_push("third"));
    CHECK(frames.pop() == "first");
    CHECK(frames.pop() == "second");
    CHECK(frames.empty());
}

}  // namespace
}  // namespace muster
