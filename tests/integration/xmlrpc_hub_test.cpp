// What clients of a hub ask of named servers, searches, and what is kept for groups, with a real
// agent at work.

#include "tests/integration/xmlrpc_client_fixture.h"

namespace muster::integration {
namespace {

TEST_CASE("a hub's client has a script run by one server's systems, and reads what came of it") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(R"(
import grp, os, pwd
user = pwd.getpwuid(os.getuid()).pw_name
group = grp.getgrgid(os.getgid()).gr_name
own = server.hub.login("admin", password)
servers = server.hub.listServerIds(own)
assert len(servers) == 1 and isinstance(servers[0], int), servers
one = servers[0]
attached = server.hub.attachToServers(own, servers)
assert attached["Successful"]["ServerIds"] == servers, attached
wait_for("not seen", lambda: len(server.unicast.system.listSystems(own, one)) == 1)
system, = server.unicast.system.listSystems(own, one)
assert system["name"] == "web1", system
told = server.multicast.system.scheduleScriptRun(
    own, [one, one + 1], [[system["id"]]] * 2, [user] * 2, [group] * 2, [60] * 2,
    ["#!/bin/sh\necho hello hub\n"] * 2, [moment()] * 2)
assert told["Failed"]["ServerIds"] == [one + 1], told
assert told["Successful"]["ServerIds"] == [one], told
action, = told["Successful"]["Responses"]
def done():
    return [a["id"] for a in server.unicast.schedule.listCompletedActions(own, one)]
wait_for("not done", lambda: action in done())
result, = server.unicast.system.getScriptResults(own, one, action)
assert result["output"] == "hello hub\n", result
assert "not found" in fault(server.unicast.system.listSystems, own, one + 1).faultString
assert server.hub.logout(own) == 1
assert "session" in fault(server.unicast.system.listSystems, own, one).faultString
)");
}

TEST_CASE("a system is found by what its agent told, and its group keeps formulas") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(R"(
import socket
number = server.system.getId(key, "web1")[0]["id"]
search = server.system.search
def told():
    return search.hostname(key, socket.gethostname()[:3])
wait_for("no facts", lambda: [s["id"] for s in told()] == [number])
found, = search.nameAndDescription(key, "EB1")
assert found["id"] == number and found["hostname"], found
assert search.uuid(key, found["uuid"][:8])[0]["id"] == number
assert search.ip(key, found["ip"])[0]["id"] == number
assert search.ip(key, "203.0.113.7") == []
assert search.deviceDriver(key, "no such driver") == []
for disk in server.system.getDevices(key, number)[:1]:
    same, = search.deviceDriver(key, disk["driver"])
    assert same["id"] == number and same["hw_driver"] and same["hostname"], same
    assert search.deviceDescription(key, disk["description"])[0]["hw_description"]
group = server.systemgroup.create(key, "shop", "sells")["id"]
assert server.systemgroup.addOrRemoveSystems(key, "shop", [number], True) == 1
assert server.formula.setFormulasOfGroup(key, group, ["locale"]) == 1
assert server.formula.getFormulasByGroupId(key, group) == ["locale"]
data = {"timezone": {"name": "CET", "hardware_clock": True}}
assert server.formula.setGroupFormulaData(key, group, "locale", data) == 1
assert server.formula.getGroupFormulaData(key, group, "locale") == data
)");
}

}  // namespace
}  // namespace muster::integration
