#include "core/windows/forecast.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace muster::windows {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

const wall_time now = sys_days(2026y / 11 / 16);
const window night{now + 22h, now + 26h};
const window next_night{now + 46h, now + 50h};

TEST_CASE("without limits all systems finish in the first window that is long enough") {
    const std::vector<forecast_group> groups{
        {.schedule = "core",
         .systems = 1'000'000,
         .next_windows = {night, next_night},
         .expected = 1h}};

    const auto forecast = compute_forecast(groups, {}, now);

    CHECK(forecast.windows == std::vector<forecast_line>{{"core", night, 1'000'000}});
    CHECK(forecast.rest.empty());
}

TEST_CASE(
    "a limit of concurrency lets as many start as end, and the rest waits for later windows") {
    const std::vector<forecast_group> groups{
        {.schedule = "core",
         .systems = 1'000,
         .next_windows = {night, next_night},
         .expected = 1h}};

    const auto forecast = compute_forecast(groups, {.concurrency = 100}, now);

    // A set at the beginning and three more as they end: the last must end by the window's end.
    CHECK(
        forecast.windows
        == std::vector<forecast_line>{{"core", night, 400}, {"core", next_night, 400}});
    REQUIRE(forecast.rest.size() == 1);
    CHECK(forecast.rest[0].systems == 200);
    CHECK(
        forecast.rest[0].reason
        == "batch limit of 100 running tasks reached in the next 2 maintenance windows");
}

TEST_CASE("a rate limits how many can start") {
    const std::vector<forecast_group> groups{
        {.schedule = "core", .systems = 10'000, .next_windows = {night}, .expected = 3h}};

    const auto forecast = compute_forecast(groups, {.starts_per_second = 0.5}, now);

    REQUIRE(forecast.windows.size() == 1);
    CHECK(forecast.windows[0].finished == 1'800);
    CHECK(
        forecast.rest[0].reason
        == "rate limit (starts per second) reached in the next 1 maintenance windows");
}

TEST_CASE("the forecast says why systems will not be done") {
    const std::vector<forecast_group> groups{
        {.schedule = "none", .systems = 5},
        {.schedule = "short", .systems = 7, .next_windows = {night}, .expected = 5h},
        {.schedule = "", .systems = 11}};

    const auto forecast = compute_forecast(groups, {}, now);

    CHECK(forecast.without_schedule == 11);
    CHECK(
        forecast.rest
        == std::vector<forecast_rest>{
            {"none", 5, "the maintenance schedule has no windows"},
            {"short", 7, "expected duration 5 h exceeds each of the next 1 maintenance windows"}});
}

TEST_CASE("where only the start must lie in a window, work longer than it is begun there") {
    std::vector<forecast_group> groups{
        {.schedule = "short", .systems = 7, .next_windows = {night, next_night}, .expected = 5h}};
    REQUIRE(compute_forecast(groups, {}, now).rest.size() == 1);
    groups[0].rule = admission_policy::fit::start_within;

    const auto forecast = compute_forecast(groups, {}, now);

    CHECK(forecast.windows == std::vector<forecast_line>{{"short", night, 7}});
    CHECK(forecast.rest.empty());
    // One at a time: it ends an hour after its window, and the next one waits for the next night.
    CHECK(compute_forecast(groups, {.concurrency = 1}, now).windows.size() == 2);
}

TEST_CASE("windows that open when the job has expired are none of its own, and that is told") {
    std::vector<forecast_group> groups{
        {.schedule = "core",
         .systems = 9,
         .next_windows = {night, next_night},
         .expected = 1h,
         .until = now + 21h}};

    const auto forecast = compute_forecast(groups, {}, now);

    CHECK(forecast.windows.empty());
    REQUIRE(forecast.rest.size() == 1);
    CHECK(forecast.rest[0].systems == 9);
    CHECK(
        forecast.rest[0].reason
        == "next maintenance window opens at 2026-11-16T22:00:00Z; the job expires at "
           "2026-11-16T21:00:00Z");
    groups[0].until = now + 23h;
    CHECK(compute_forecast(groups, {}, now).windows.at(0).finished == 9);
}

TEST_CASE("work that fits a window exactly is done in it") {
    const std::vector<forecast_group> groups{
        {.schedule = "core", .systems = 50, .next_windows = {night}, .expected = 4h}};

    CHECK(compute_forecast(groups, {.concurrency = 20}, now).windows.at(0).finished == 20);
    CHECK(compute_forecast(groups, {.concurrency = 60}, now).windows.at(0).finished == 50);
}

TEST_CASE("every system is in exactly one line of a forecast, and no window holds more than fits") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed ", seed);
        prng random(seed);
        std::vector<forecast_group> groups;
        std::uint64_t systems = 0;
        for (std::uint64_t index = 0; index <= random.below(4); ++index) {
            forecast_group group{.schedule = "s" + std::to_string(index)};
            group.systems = random.below(100'000);
            group.expected = seconds(1 + random.below(10'000));
            auto opens = now + seconds(random.below(100'000));
            for (std::uint64_t count = random.below(6); count > 0; --count) {
                group.next_windows.push_back({opens, opens + seconds(1 + random.below(20'000))});
                opens = group.next_windows.back().closes + seconds(1 + random.below(50'000));
            }
            systems += group.systems;
            groups.push_back(std::move(group));
        }
        const forecast_limits limits{.concurrency = 1 + random.below(500)};

        const auto forecast = compute_forecast(groups, limits, now);

        std::uint64_t counted = 0;
        for (const auto& line : forecast.windows) {
            counted += line.finished;
            const auto& group = groups.at(static_cast<std::size_t>(line.schedule[1] - '0'));
            const auto length = duration<double>(line.window.closes - line.window.opens).count();
            const auto finished_max = static_cast<double>(limits.concurrency) * length
                                      / static_cast<double>(group.expected.count());
            CHECK(static_cast<double>(line.finished) <= finished_max + 1);
        }
        for (const auto& rest : forecast.rest) counted += rest.systems;
        CHECK(counted == systems);
    }
}

TEST_CASE("those wait that cannot start at once, until the first of them can") {
    const std::vector<forecast_group> groups{
        {.schedule = "", .systems = 1},
        {.schedule = "open",
         .systems = 2,
         .next_windows = {{now - 1h, now + 1h}},
         .expected = 30min},
        {.schedule = "late", .systems = 4, .next_windows = {next_night}, .expected = 1h},
        {.schedule = "soon", .systems = 8, .next_windows = {night}, .expected = 1h},
        {.schedule = "never", .systems = 16}};

    CHECK(waiting_systems_at(groups, now) == waiting_systems{.count = 28, .opens = night.opens});
    CHECK(waiting_systems_at(std::span(groups).first(2), now) == waiting_systems{});
    CHECK(waiting_systems_at(std::span(groups).last(1), now) == waiting_systems{.count = 16});
}

TEST_CASE("where only the start must lie in a window, nobody waits while it is open") {
    std::vector<forecast_group> groups{
        {.schedule = "a", .systems = 2, .next_windows = {{now - 1h, now + 1h}}, .expected = 2h}};
    CHECK(waiting_systems_at(groups, now).count == 2);
    groups[0].rule = admission_policy::fit::start_within;
    CHECK(waiting_systems_at(groups, now).count == 0);
}

}  // namespace
}  // namespace muster::windows
