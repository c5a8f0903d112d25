#include "core/jobs/progress_meter.h"

#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a steady pace is told as it is, and so is the time left") {
    progress_meter meter;
    instant now{};
    CHECK_FALSE(meter.rate(now).has_value());
    for (std::uint64_t ended = 0; ended <= 1000; ended += 10, now += 100ms)
        meter.add_sample(ended, now);
    now -= 100ms;
    CHECK(meter.rate(now).value() == doctest::Approx(100));
    const auto remaining = std::chrono::duration<double>(meter.time_left(500, now).value()).count();
    CHECK(remaining == doctest::Approx(5));
}

TEST_CASE("a pause is forgotten once it is long over") {
    progress_meter meter;
    instant now{};
    meter.add_sample(0, now);
    now += 1h;
    for (std::uint64_t ended = 0; ended <= 700; ++ended, now += 100ms) meter.add_sample(ended, now);
    CHECK(meter.rate(now).value() == doctest::Approx(10).epsilon(0.05));
}

TEST_CASE("a job that stands still has no end in sight") {
    progress_meter meter;
    instant now{};
    for (int n = 0; n < 100; ++n, now += 1s) meter.add_sample(5, now);
    CHECK(meter.rate(now).value() == doctest::Approx(0));
    CHECK_FALSE(meter.time_left(1, now).has_value());
}

}  // namespace
}  // namespace muster::jobs
