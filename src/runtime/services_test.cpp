#include "runtime/clock_jump_detector.h"
#include "runtime/metrics.h"
#include "runtime/signals.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <string>

namespace muster::runtime {
namespace {

using namespace std::chrono_literals;

TEST_CASE("metrics are exposed in the text format with their labels") {
    metrics all;
    auto requests = all.make_counter({"muster_requests_total", "Requests.", {{"code", "200"}}});
    double queued = 7;
    all.watch_gauge({"muster_queued", "Waiting."}, [&queued] { return queued; });
    double total = 5;
    all.watch_counter({"muster_bytes_total", "Bytes."}, [&total] { return total; });

    requests.add();
    all.make_counter({"muster_requests_total", "Requests.", {{"code", "200"}}}).add(2);
    static_cast<void>(all.text());
    total = 8;
    const auto text = all.text();

    CHECK(text.contains("# TYPE muster_requests_total counter"));
    CHECK(text.contains("muster_requests_total{code=\"200\"} 3"));
    CHECK(text.contains("muster_queued 7"));
    CHECK(text.contains("muster_bytes_total 8"));
}

struct noted_signals final : signal_listener {
    void stop() override { text += "stop "; }
    void stop_now() override { text += "hurry "; }
    void reload() override { text += "reload "; }

    std::string text;
};

TEST_CASE("the first stop signal asks for order, the second for haste, a hang-up for a reload") {
    boost::asio::io_context loop;
    noted_signals noted;
    const signals all(loop, noted);

    for (const int number : {SIGHUP, SIGTERM, SIGINT}) {
        std::raise(number);
        for (const auto before = noted.text; noted.text == before;) loop.run_one();
    }

    CHECK(noted.text == "reload stop hurry ");
}

TEST_CASE("a wall clock that moves against the monotonic one is noticed, a slow look is not") {
    clock_jump_detector watch(1s);
    const instant start(1h);
    const wall_time wall = std::chrono::sys_days(std::chrono::year(2027) / 1 / 1);

    CHECK(watch.check(start, wall) == std::nullopt);
    CHECK(watch.check(start + 60s, wall + 60s) == std::nullopt);
    CHECK(watch.check(start + 61s, wall + 3661s) == 1h);
    CHECK(watch.check(start + 62s, wall + 62s) == -1h);
    CHECK(watch.check(start + 63s, wall + 63s + 900ms) == std::nullopt);
}

TEST_CASE("a clock from before this version was made is refused with its date") {
    const auto refused = check_wall_clock(std::chrono::sys_days(std::chrono::year(1970) / 1 / 1));

    REQUIRE(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("1970-01-01"));
    CHECK(check_wall_clock(std::chrono::sys_days(std::chrono::year(2030) / 1 / 1)).has_value());
}

}  // namespace
}  // namespace muster::runtime
