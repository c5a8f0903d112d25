#include "core/presence/attach_rate.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::presence;
using namespace std::chrono_literals;

TEST_CASE("the rate is that of the last ten seconds") {
    attach_rate rate;
    instant now(1h);
    CHECK(rate.update(now, 100) == 0);

    for (int second = 1; second <= 20; ++second)
        rate.update(now + second * 1s, static_cast<std::uint64_t>(100 + second * 50));
    CHECK(rate.update(now + 20s, 1100) == doctest::Approx(50));

    for (int second = 21; second <= 40; ++second) rate.update(now + second * 1s, 1100);
    CHECK(rate.update(now + 40s, 1100) == doctest::Approx(0));
}

TEST_CASE("looking often does not make the rate jump, and a total that fell gives none") {
    attach_rate rate;
    const instant now(1h);
    rate.update(now, 0);
    for (int step = 1; step <= 1000; ++step)
        rate.update(now + step * 1ms, static_cast<std::uint64_t>(step));
    CHECK(rate.update(now + 1s, 1000) == doctest::Approx(1000));

    CHECK(rate.update(now + 2s, 3) == 0);
}
