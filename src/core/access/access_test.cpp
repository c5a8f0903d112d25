#include "core/access/attempt_limiter.h"
#include "core/access/recent_names.h"

#include <doctest/doctest.h>

namespace muster::access {
namespace {

using namespace std::chrono_literals;

const instant start(1h);

TEST_CASE("whoever failed too often within the span has to wait for the oldest to pass") {
    attempt_limiter limiter({.failures_max = 3, .span = 60s});
    for (const auto after : {0s, 10s, 20s}) {
        CHECK(limiter.wait_for("admin", start + after) == std::nullopt);
        limiter.failed("admin", start + after);
    }

    CHECK(limiter.wait_for("admin", start + 30s) == 30s);
    CHECK(limiter.wait_for("eva", start + 30s) == std::nullopt);
    CHECK(limiter.wait_for("admin", start + 60s) == std::nullopt);
}

TEST_CASE("failures while waiting prolong the wait, success ends it") {
    attempt_limiter limiter({.failures_max = 2, .span = 60s});
    for (const auto after : {0s, 1s, 30s}) limiter.failed("admin", start + after);

    CHECK(limiter.wait_for("admin", start + 60s) == 1s);
    limiter.on_success("admin");
    CHECK(limiter.wait_for("admin", start + 60s) == std::nullopt);
}

TEST_CASE("a flood of names cannot fill the memory and pushes out the oldest first") {
    attempt_limiter limiter({.failures_max = 1, .span = 1h, .remembered_max = 100});
    for (int i = 0; i < 100; ++i) limiter.failed("user" + std::to_string(i), start);
    for (int i = 0; i < 1000; ++i) limiter.failed("user0", start);

    limiter.failed("newcomer", start);

    CHECK(limiter.wait_for("user0", start).has_value());
    CHECK(limiter.wait_for("newcomer", start).has_value());
    CHECK(limiter.wait_for("user1", start) == std::nullopt);
    CHECK(limiter.wait_for("user2", start).has_value());
}

TEST_CASE("of names that were added the last ones are remembered") {
    recent_names names(2);
    for (const auto* each : {"web1", "web2", "web2", "web3"}) names.add(each);

    CHECK_FALSE(names.contains("web1"));
    CHECK(names.contains("web2"));
    CHECK(names.contains("web3"));
}

}  // namespace
}  // namespace muster::access
