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
namespace {

namespace json = boost::json;

constexpr const char* prologue = R"(
import ssl, sys, xmlrpc.client
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
)";

// A server with an agent that knocks, and a user of the compatible API.
struct old_friends {
    muster_server server;
    harness::temporary_directory home{"xmlrpc"};
    std::unique_ptr<harness::process> agent;
    std::string key;  // of a session, once somebody has logged in

    old_friends() {
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
                 "--poll",
                 "1s",
                 "--retry-max",
                 "1s"},
            .environment = {},
            .output = home.path() / "web1.log",
            .user = {}});
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
        const auto found = systems("name:web1");
        return found.empty() ? 0 : found.front().at("version").to_number<std::int64_t>();
    }
};

TEST_CASE("Python's XML-RPC client logs in, takes a system in, groups it and sends it away") {
    old_friends here;
    // As clients begin: afresh, then with a key that was kept in a file.
    here.key = here.python(R"(
assert float(server.api.getVersion()) >= 25
assert "system" in server.api.getApiNamespaces()
wrong = fault(server.auth.login, "admin", "not the password")
assert wrong.faultCode == 2950, wrong
key = server.auth.login("admin", password)
number, secret = key.split("x")
assert int(number) >= 0 and len(secret) == 64, key
assert server.system.hasTraditionalSystems(key) is False
print(key)
)");
    REQUIRE(here.key.ends_with('\n'));
    here.python(R"(
import time
assert "admin" in server.user.listAssignableRoles(key)
assert server.auth.isSessionKeyValid(key) is True
assert server.system.listSystems(key) == []
until = time.monotonic() + 60
while server.saltkey.pendingList(key) != ["web1"]:
    assert time.monotonic() < until, "nobody knocked"
    time.sleep(0.2)
assert server.saltkey.accept(key, "web1") == 1
assert server.saltkey.acceptedList(key) == ["web1"]
assert "no key" in fault(server.saltkey.accept, key, "web1").faultString
)");
    here.wait_for("state:onboarded", 1);
    here.python(R"(
system, = server.system.listActiveSystems(key)
assert system["name"] == "web1", system
assert isinstance(system["last_checkin"], xmlrpc.client.DateTime), system
number = system["id"]
assert server.system.listInactiveSystems(key) == []
assert server.system.list_inactive_systems(key, 7) == []
assert server.system.getId(key, "web1")[0]["id"] == number
assert server.system.searchByName(key, "^web1$")[0]["id"] == number
details = server.system.getDetails(key, number)
assert details["osa_status"] == "online" and details["profile_name"] == "web1", details
assert server.systemgroup.create(key, "shop", "sells")["system_count"] == 0
assert server.systemgroup.addOrRemoveSystems(key, "shop", [number], True) == 1
assert server.systemgroup.listSystems(key, "shop")[0]["profile_name"] == "web1"
assert [g["subscribed"] for g in server.system.listGroups(key, number)] == [1]
assert server.systemgroup.delete(key, "shop") == 1
assert fault(server.systemgroup.getDetails, key, "shop").faultCode == 2201
assert server.user.listUsers(key)[0]["login"] == "admin"
assert fault(server.system.getName, key).faultCode == -1
assert fault(server.system.getName, key, [number]).faultCode == -1
assert fault(server.no.such, key).faultCode == -1
)");
    const auto before = here.version_of_web1();
    here.python(R"(
number = server.system.getId(key, "web1")[0]["id"]
assert server.system.deleteSystem(key, number) == 1
)");
    CHECK(here.version_of_web1() > before);
    // An orphan looks for its node again.
    here.wait_for("state:onboarded", 1);
    here.python(R"(
assert server.auth.logout(key) == 1
gone = fault(server.system.listSystems, key)
assert "Could not find session with id: " + key.split("x")[0] in gone.faultString, gone
)");
    auto token = text_of(here.server.token());
    token.erase(token.find_last_not_of("\n ") + 1);
    const auto trail =
        here.server.get("/api/v1/audit?limit=100", {"-H", "Authorization: Bearer " + token});
    CHECK(trail.output.contains("system.deleteSystem"));
    CHECK(trail.output.contains("saltkey.accept"));
}

}  // namespace
}  // namespace muster::integration
