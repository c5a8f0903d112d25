#pragma once

// The compatible API of a real server, asked by Python's own client, with a real agent at work.
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/integration/muster_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

namespace muster::integration {

namespace json = boost::json;

inline constexpr const char* prologue = R"(
import datetime, ssl, sys, time, xmlrpc.client
url, ca, password, key = sys.argv[1:5]
trusted = ssl.create_default_context(cafile=ca)
server = xmlrpc.client.ServerProxy(url, context=trusted)
def fault(work, *arguments):
    try:
        work(*arguments)
    except xmlrpc.client.Fault as told:
        assert told.faultString.startswith("redstone.xmlrpc.XmlRpcFault: "), told
        return told
    raise AssertionError("no fault")
def moment(seconds=0):
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return xmlrpc.client.DateTime(now.strftime("%Y%m%dT%H:%M:%S"))
def wait_for(what, work):
    until = time.monotonic() + 60
    while not work():
        assert time.monotonic() < until, what
        time.sleep(0.1)
)";

// A server with an agent that knocks, and a user of the compatible API.
struct xmlrpc_client_fixture {
    // Repositories of tests lie beside one another.
    muster_server server{
        {"--content-directories", std::filesystem::temp_directory_path().string()}};
    harness::temporary_directory home{"xmlrpc"};
    std::unique_ptr<harness::process> agent;
    std::string key;  // of a session, once somebody has logged in

    xmlrpc_client_fixture() {
        server.start_and_wait_until_ready();
        REQUIRE(server.login().exit_code == 0);
        agent = std::make_unique<harness::process>(harness::command{
            .argv =
                {MUSTER_AGENT_PROGRAM,
                 "run",
                 "--server",
                 "https://127.0.0.1:" + std::to_string(server.port()),
                 "--ca",
                 server.data() / "ca.pem",
                 "--data",
                 home.path() / "web1",
                 "--name",
                 "web1",
                 "--poll-interval",
                 "1s",
                 "--retry-max",
                 "1s"},
            .environment = {},
            .output = home.path() / "web1.log",
            .user = {}});
    }

    // Logs in, accepts the agent and waits until it works.
    void take_in() {
        key = python("print(server.auth.login('admin', password))\n");
        python(R"(
wait_for("nobody knocked", lambda: server.saltkey.pendingList(key) == ["web1"])
assert server.saltkey.accept(key, "web1") == 1
)");
        wait_for("state:onboarded", 1);
    }

    // What a script prints, which must succeed.
    std::string python(const std::string& script) const {
        const auto file = home.path() / "client.py";
        std::ofstream(file) << prologue << script;
        auto password = text_of(server.data() / "first-password");
        password.erase(password.find_last_not_of("\n ") + 1);
        const auto ran = run(
            {"python3",
             file,
             "https://127.0.0.1:" + std::to_string(server.port()) + "/rpc/api",
             server.data() / "ca.pem",
             password,
             key});
        REQUIRE_MESSAGE(ran.exit_code == 0, ran.output);
        return ran.output;
    }

    json::array systems(const std::string& query) const {
        const auto listed = server.cli({"systems", "list", query, "-o", "json"});
        if (listed.exit_code != 0) return {};
        return json::parse(listed.output).as_array();
    }
    void wait_for(const std::string& query, std::size_t count) const {
        harness::eventually(
            query, [&] { return systems(query).size() == count; }, std::chrono::seconds(90));
    }
    std::int64_t version_of_web1() const {
        const auto match = systems("name:web1");
        return match.empty() ? 0 : match.front().at("version").to_number<std::int64_t>();
    }
};

}  // namespace muster::integration
