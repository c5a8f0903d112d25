// Calls that span servers, while one of three is stopped, killed and back.

#include "runtime/clock.h"
#include "tests/harness/process.h"
#include "tests/integration/muster_server.h"
#include "tests/integration/three_server_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr auto answer_time = 5s;
constexpr auto busy_machine = 10s;
constexpr auto timeout = 60s;
constexpr int not_all_answered = 5;

using names = std::vector<std::string>;

struct asked_servers {
    int exit_code = 0;
    names answered;
    names failed;
    json::value told;
};

names servers_in(const json::value& response, const char* list) {
    names all;
    for (const auto& each : response.at(list).as_array())
        all.push_back(json::value_to<std::string>(each.at("server")));
    return all;
}

// What a program prints before what it says on standard error.
json::value first_value(const std::string& output) {
    json::stream_parser parser;
    parser.write_some(output);
    return parser.release();
}

// `muster nodes stats`, which must be there in time whoever is silent.
asked_servers ask(const muster_server& muster_server) {
    const runtime::system_clock clock;
    const auto begun = clock.now();
    const auto output = muster_server.cli({"nodes", "stats", "-o", "json"});
    CHECK(clock.now() - begun < answer_time + busy_machine);
    INFO(output.output);
    asked_servers result{.exit_code = output.exit_code, .told = first_value(output.output)};
    result.answered = servers_in(result.told, "items");
    result.failed = servers_in(result.told, "failed");
    return result;
}

std::string missing_nodes(const muster_server& muster_server, const std::string& path) {
    const auto answered =
        muster_server.get(path, {"-H", "Authorization: Bearer " + muster_server.bearer()});
    REQUIRE_MESSAGE(answered.exit_code == 200, answered.output);
    return json::serialize(json::parse(answered.output).at("missing_nodes"));
}

// With its header.
std::string compatible(const muster_server& muster_server, const std::string& method) {
    return muster_server
        .get(
            "/rhn/manager/api/" + method,
            {"-i", "-b", "pxt-session-cookie=" + muster_server.bearer()})
        .output;
}

TEST_CASE("a server that is stopped, killed or gone is named, and the others' answers are whole") {
    three_servers all({}, {"--gateway-peer-timeout", "5s"});
    auto& first = all[0];
    harness::eventually(
        "all nodes are heard of",
        [&] { return missing_nodes(first, "/api/v1/stats") == "[]"; },
        timeout);

    CHECK(ask(first).exit_code == 0);
    // By now each has answered a request at least: the one before.
    const auto whole = ask(first);
    CHECK(whole.exit_code == 0);
    CHECK(whole.answered == names{"muster-1", "muster-2", "muster-3"});
    CHECK(whole.failed.empty());
    for (const auto& each : whole.told.at("items").as_array()) {
        CHECK(each.at("requests").to_number<std::int64_t>() > 0);
        CHECK(each.at("exceptions").to_number<std::int64_t>() == 0);
        CHECK(each.at("request_seconds").to_number<double>() > 0);
        CHECK(each.at("memory_bytes").to_number<std::int64_t>() > 0);
    }
    const auto none = compatible(first, "system/listActiveSystems");
    CHECK_MESSAGE(none.contains(R"("success":true)"), none);
    CHECK_FALSE(none.contains("Muster-Missing-Nodes"));

    all[2].send_signal(SIGSTOP);
    const auto silent = ask(first);
    CHECK(silent.exit_code == not_all_answered);
    CHECK(silent.answered == names{"muster-1", "muster-2"});
    CHECK(silent.failed == names{"muster-3"});

    all[2].send_signal(SIGCONT);
    all[2].kill();
    const auto refused = ask(first);
    CHECK(refused.answered == names{"muster-1", "muster-2"});
    CHECK(refused.failed == names{"muster-3"});

    harness::eventually(
        "its part of who is attached is named as missing",
        [&] { return missing_nodes(first, "/api/v1/systems") == R"(["muster-3"])"; },
        timeout);
    CHECK(missing_nodes(first, "/api/v1/stats") == R"(["muster-3"])");
    const auto listed = compatible(first, "system/listInactiveSystems");
    CHECK_MESSAGE(listed.contains("Muster-Missing-Nodes: muster-3"), listed);
    const auto away = ask(first);
    CHECK(away.answered == names{"muster-1", "muster-2"});
    CHECK(away.failed == names{"muster-3"});

    all[2].start_and_wait_until_ready();
    harness::eventually("it answers again", [&] { return ask(first).failed.empty(); }, timeout);
}

}  // namespace
}  // namespace muster::integration
