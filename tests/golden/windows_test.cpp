// Rules, zones and whole calendars against python3-dateutil and zoneinfo, over random cases.

#include "core/windows/calendar.h"
#include "core/windows/ical_value.h"
#include "core/windows/recurrence_walk.h"
#include "core/windows/tzif.h"
#include "tests/harness/process.h"
#include "tests/harness/system_zones.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace muster::windows {
namespace {

constexpr auto reference = MUSTER_SOURCES "/tests/golden/recurrence_reference.py";
constexpr auto usual_seed = "20261116";
constexpr auto case_count = "250";

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    while (true) {
        const auto end = text.find(at);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::int64_t number(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

result<time_zone_pointer> system_zone(std::string_view name) {
    const auto bytes = harness::zone_bytes(name);
    if (bytes.empty()) return fail(errc::not_found, std::string(name));
    return parse_tzif(std::string(name), bytes);
}

std::string shown(local_seconds when) {
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss of_day(when - day);
    std::array<char, 32> text{};
    std::snprintf(
        text.data(),
        text.size(),
        "%04d%02u%02uT%02d%02d%02d",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        static_cast<int>(of_day.hours().count()),
        static_cast<int>(of_day.minutes().count()),
        static_cast<int>(of_day.seconds().count()));
    return text.data();
}

// The fields stand as tests/golden/recurrence_reference.py says.
std::string our_times(const std::vector<std::string>& fields) {
    const auto rule = recurrence::parse(fields.at(2));
    REQUIRE_MESSAGE(rule, rule.error().detail());
    const auto horizon = std::chrono::local_days(std::chrono::year(2040) / 1 / 1);
    recurrence_walk walk(
        *rule,
        *time_zone::utc(),
        parse_moment(fields.at(1))->at,
        {.from = parse_moment(fields.at(3))->at, .to = horizon});
    std::string all;
    for (int count = 0; count < 25; ++count) {
        const auto each = walk.next();
        if (!each) break;
        all += (all.empty() ? "" : ",") + shown(*each);
    }
    return all;
}

std::string our_windows(const std::vector<std::string>& fields) {
    auto text = fields.at(1);
    std::ranges::replace(text, '|', '\n');
    const auto read = calendar::parse(text, system_zone);
    REQUIRE_MESSAGE(read, read.error().detail());
    const auto at = [&](std::size_t field) {
        return wall_time(seconds(number(fields.at(field))));
    };
    const auto match = read->all_events().windows_between(at(2), at(3), 10'000);
    REQUIRE(match);
    const auto epoch = [](wall_time when) {
        return std::to_string(std::chrono::duration_cast<seconds>(when.time_since_epoch()).count());
    };
    std::string all;
    for (const auto& each : *match)
        all += (all.empty() ? "" : ",") + epoch(each.opens) + "-" + epoch(each.closes);
    return all;
}

std::string our_zone_answer(const std::vector<std::string>& fields) {
    const auto zone = system_zone(fields.at(1));
    REQUIRE(zone);
    const seconds given(number(fields.at(2)));
    const auto answer = fields.at(0) == "U"
                            ? (*zone)->offset_at(sys_seconds(given))
                            : (*zone)->to_utc(local_seconds(given)).time_since_epoch();
    return std::to_string(answer.count());
}

std::vector<std::string> cases(const std::string& seed) {
    const harness::temporary_directory here("golden");
    const auto output = here.path() / "cases";
    harness::process python(
        {.argv = {"python3", reference, seed, case_count},
         .environment = {},
         .output = output,
         .user = {}});
    REQUIRE(python.wait(std::chrono::seconds(120)) == 0);
    std::ifstream file(output);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

TEST_CASE("rules, zones and calendars mean what dateutil and zoneinfo make of them") {
    const char* input = std::getenv("MUSTER_GOLDEN_SEED");
    const std::string seed = input == nullptr ? usual_seed : input;
    INFO("repeat with MUSTER_GOLDEN_SEED=", seed);

    const auto all = cases(seed);
    REQUIRE(all.size() == 250);
    for (const auto& line : all) {
        INFO(line);
        const auto fields = split(line, '\t');
        const auto desired = fields.back();
        if (fields.at(0) == "R") {
            CHECK(our_times(fields) == desired);
        } else if (fields.at(0) == "C") {
            CHECK(our_windows(fields) == desired);
        } else {
            CHECK(our_zone_answer(fields) == desired);
        }
    }
}

}  // namespace
}  // namespace muster::windows
