// The compatible API of a real server, asked by Python's own client, with a real agent at work.

#include "tests/integration/xmlrpc_client_fixture.h"

#include <string>

namespace muster::integration {
namespace {

TEST_CASE("Python's XML-RPC client logs in, takes a system in, groups it and sends it away") {
    xmlrpc_client_fixture here;
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
assert "key of system" in fault(server.saltkey.accept, key, "web1").faultString
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
