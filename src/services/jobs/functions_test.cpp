#include "services/jobs/functions.h"

#include "core/model/chain.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::jobs {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

json::object chain_of(const char* steps) {
    return {{"steps", json::parse(steps)}};
}

std::string problem(const char* steps) {
    const auto message = check_function(chain_function, json::serialize(chain_of(steps)));
    return message ? "" : message.error().detail();
}

TEST_CASE("each step of a chain is checked as a job of its own") {
    CHECK(problem(R"([{"function":"cmd.run","arguments":{"cmd":"ls"},"timeout":"10m"},
                      {"function":"system.reboot"}])")
              .empty());
    CHECK(
        problem(R"([{"function":"test.ping"},{"function":"cmd.run"}])")
        == "step 2: argument \"cmd\" of cmd.run is required");
    CHECK(problem(R"([{"function":"a.b"}])").starts_with("step 1: function \"a.b\" not found"));
    CHECK(problem(R"([{"function":"test.ping","user":"x"}])").contains("unknown member \"user\""));
    CHECK(problem(R"([{"function":"test.ping","timeout":10}])").contains("a duration"));
    CHECK(problem(R"([{"function":"test.ping","timeout":"8d"}])").contains("at most 7d"));
    CHECK(problem(R"(["test.ping"])").contains("must be an object"));
    CHECK(problem("7").contains("a list of steps"));
}

TEST_CASE("a chain in a chain, none and too many steps are refused") {
    CHECK(problem(R"([{"function":"chain.run","arguments":{"steps":[]}}])").contains("of a chain"));
    CHECK(problem("[]") == "a chain must have 1 to 32 steps, not 0");
    json::array many;
    for (std::size_t n = 0; n <= chain_limits::steps_max; ++n)
        many.push_back(json::object{{"function", "test.ping"}});
    CHECK(problem(json::serialize(many).c_str()) == "a chain must have 1 to 32 steps, not 33");
}

TEST_CASE("a chain has as much time as its steps together, up to what an agent allows") {
    const auto time_of = [](const char* steps) {
        return default_timeout(
            {.function = std::string(chain_function),
             .arguments = json::serialize(chain_of(steps))});
    };
    CHECK(
        time_of(R"([{"function":"test.ping","timeout":"10m"},{"function":"test.ping"}])") == 70min);
    CHECK(
        time_of(R"([{"function":"a","timeout":"7d"},{"function":"b","timeout":"7d"}])") == 7 * 24h);
    CHECK(default_timeout({.function = "cmd.run", .arguments = "{}"}) == 1h);
}

}  // namespace
}  // namespace muster::jobs
