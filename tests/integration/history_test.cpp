#include "tests/integration/small_fleet.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace muster::integration {
namespace {

namespace json = boost::json;

std::string member(const json::value& of, const char* name) {
    const auto& match = of.at(name);
    return match.is_string() ? json::value_to<std::string>(match) : std::string();
}

json::array history(const small_fleet& of, const std::string& system) {
    return json::parse(of.told({"systems", "history", system, "-o", "json"})).as_array();
}

std::vector<std::string> states(const json::array& line) {
    std::vector<std::string> result;
    for (const auto& each : line) result.push_back(member(each, "state"));
    return result;
}

// The same, one item a page.
json::array in_pages(const small_fleet& of, const std::string& system) {
    json::array all;
    std::string after;
    do {
        const auto answer = of.server.get(
            "/api/v1/systems/" + system + "/history?limit=1" + after,
            {"-H", "Authorization: Bearer " + of.server.bearer()});
        REQUIRE_MESSAGE(answer.exit_code == 200, answer.output);
        const auto page = json::parse(answer.output);
        CHECK(page.at("items").as_array().size() <= 1);
        for (const auto& each : page.at("items").as_array()) all.push_back(each);
        const auto next = member(page, "next");
        after = next.empty() ? next : "&after=" + next;
    } while (!after.empty());
    return all;
}

// Waits until it is in that state now, and was in others before, in this order among others.
void wait_for_states(
    const small_fleet& of, const std::string& system, const std::vector<std::string>& desired) {
    harness::eventually(
        "the history of " + system,
        [&] {
            const auto observed = states(history(of, system));
            if (observed.empty() || observed.back() != desired.back()) return false;
            auto next = desired.begin();
            for (const auto& each : observed)
                if (next != desired.end() && each == *next) ++next;
            return next == desired.end();
        },
        std::chrono::seconds(90));
}

}  // namespace

TEST_CASE("where a system was is told over time: its agent stopped, its node stopped and killed") {
    small_fleet here;
    wait_for_states(here, "web1", {"onboarded"});
    here.agents[0]->send_signal(SIGTERM);
    wait_for_states(here, "web1", {"onboarded", "orphan"});
    const auto away = history(here, "web1");
    CHECK(member(away.back(), "reason") == "closed");
    CHECK(away.back().at("until").is_null());
    here.agents[0] = here.start_agent("web1");
    wait_for_states(here, "web1", {"onboarded", "orphan", "onboarded"});

    REQUIRE(here.server.stop() == 0);
    here.server.start_and_wait_until_ready();
    wait_for_states(here, "web1", {"onboarded", "orphan", "onboarded", "orphan", "onboarded"});

    here.server.kill();
    here.server.start_and_wait_until_ready();
    wait_for_states(
        here,
        "web1",
        {"onboarded", "orphan", "onboarded", "orphan", "onboarded", "unknown", "onboarded"});
    const auto line = history(here, "web1");
    CHECK(in_pages(here, "web1") == line);
    // Nothing is left out between the first and the last.
    for (std::size_t at = 1; at < line.size(); ++at)
        CHECK(member(line[at], "from") == member(line[at - 1], "until"));
}

TEST_CASE("a history that cannot be is refused, and nobody's is not found") {
    small_fleet here;

    CHECK(here.server.cli({"systems", "history", "nobody"}).exit_code == 2);
    const auto wrong = here.server.cli({"systems", "history", "web1", "--since", "yesterday"});
    CHECK(wrong.exit_code == 2);
    CHECK(wrong.output.find("`since` must be a time") != std::string::npos);
    CHECK(
        here.server.cli({"systems", "history", "web1", "--since", "now", "--until", "-1h"})
            .exit_code
        == 2);
}

}  // namespace muster::integration
