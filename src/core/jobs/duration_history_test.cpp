#include "core/jobs/duration_history.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::jobs {
namespace {

TEST_CASE("mean and deviation are those of all times, and kinds do not mix") {
    duration_history history;
    prng random(11);
    std::vector<double> times;
    for (int n = 0; n < 500; ++n) {
        times.push_back(static_cast<double>(random.below(10'000)) / 100);
        history.add("cmd.run", std::chrono::duration<double>(times.back()));
        history.add("test.ping", std::chrono::duration<double>(1));
    }
    double sum = 0;
    for (const auto time : times) sum += time;
    const double mean = sum / 500;
    double squares = 0;
    for (const auto time : times) squares += (time - mean) * (time - mean);
    CHECK(history.find("cmd.run").samples == 500);
    CHECK(history.find("cmd.run").mean == doctest::Approx(mean));
    CHECK(history.find("cmd.run").deviation == doctest::Approx(std::sqrt(squares / 500)));
    CHECK(history.find("test.ping").mean == doctest::Approx(1));
    CHECK(history.find("test.ping").deviation == doctest::Approx(0));
    CHECK(history.find("unknown").samples == 0);
}

TEST_CASE("there is a bound to what is learned") {
    duration_history history;
    for (std::size_t n = 0; n <= duration_history::kinds_max; ++n)
        history.add(std::to_string(n), std::chrono::duration<double>(1));
    CHECK(history.find("0").samples == 1);
    CHECK(history.find(std::to_string(duration_history::kinds_max)).samples == 0);
    history.add("0", std::chrono::duration<double>(1));
    CHECK(history.find("0").samples == 2);
}

}  // namespace
}  // namespace muster::jobs
