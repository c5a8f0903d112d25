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
    const auto& found = of.at(name);
    return found.is_string() ? json::value_to<std::string>(found) : std::string();
}

json::array history(const small_fleet& of, const std::string& system) {
    return json::parse(of.told({"systems", "history", system, "-o", "json"})).as_array();
}

std::vector<std::string> states(const json::array& line) {
    std::vector<std::string> made;
    for (const auto& each : line) made.push_back(member(each, "state"));
    return made;
}

void wait_for_states(
    const small_fleet& of, const std::string& system, const std::vector<std::string>& wanted) {
    harness::eventually(
        "the history of " + system,
        [&] {
            const auto seen = states(history(of, system));
            // What came before the system was accepted takes no time at all, or some.
            return seen.size() >= wanted.size()
                   && std::equal(wanted.rbegin(), wanted.rend(), seen.rbegin());
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
    const auto stopped = history(here, "web1");
    CHECK(member(stopped[stopped.size() - 2], "reason") == "stopping");

    here.server.kill();
    here.server.start_and_wait_until_ready();
    here.wait_for("state:onboarded", 3, "systems");
    harness::eventually(
        "the dead node's last word",
        [&] {
            const auto line = history(here, "web1");
            return line.size() > 2 && member(line.back(), "state") == "onboarded"
                   && states(line)[line.size() - 3] == "unknown";
        },
        std::chrono::seconds(90));
    const auto line = history(here, "web1");
    CHECK(member(line[line.size() - 2], "reason") == "node lost");
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
