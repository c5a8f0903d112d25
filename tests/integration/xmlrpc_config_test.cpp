// Configuration, activation keys, custom values, people and organizations over the compatible API,
// asked by Python's own client, with real agents at work.

#include "tests/integration/xmlrpc_client_fixture.h"

namespace muster::integration {
namespace {

// Files are written beside the script, as whoever runs the agent.
constexpr const char* beginning = R"(
import grp, os, pwd
user = pwd.getpwuid(os.getuid()).pw_name
group = grp.getgrgid(os.getgid()).gr_name
place = os.path.join(os.path.dirname(sys.argv[0]), "deployed")
config = server.configchannel
def numbers(actions):
    return [each["id"] for each in actions]
def completed(action):
    wait_for("not completed", lambda: action in numbers(server.schedule.listCompletedActions(key)))
def put(channel, name, contents, mode="640"):
    return config.createOrUpdatePath(key, channel, os.path.join(place, name), False, {
        "contents": contents, "owner": user, "group": group, "permissions": mode})
)";

TEST_CASE("configuration channels are filled, given to systems and written by a real agent") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(beginning + std::string(R"(
number = server.system.getId(key, "web1")[0]["id"]
assert config.create(key, "base", "Base", "for all")["configChannelType"]["label"] == "normal"
config.create(key, "web", "Web", "for web")
first = put("base", "both", "of base\n")
assert first["revision"] == 1 and first["permissions"] == 640, first
put("web", "both", "of web\n")
put("web", "dir/motd", "hello\nworld\n", "644")  # who may not read it is not told what changed
config.createOrUpdatePath(key, "web", os.path.join(place, "raw"), False, {
    "contents": "AAH/", "contents_enc64": True, "owner": user, "group": group,
    "permissions": "600", "binary": True})
config.createOrUpdatePath(key, "web", os.path.join(place, "empty"), True, {
    "owner": user, "group": group, "permissions": "750"})
config.createOrUpdateSymlink(key, "web", os.path.join(place, "link"), {"target_path": "both"})
assert fault(config.createOrUpdatePath, key, "web", "/etc/../x", False, {}).faultCode == 1023
assert server.system.config.addChannels(key, [number], ["base"], False) == 1
assert server.system.config.addChannels(key, [number], ["web"], True) == 1
assert [c["label"] for c in server.system.config.listChannels(key, number)] == ["web", "base"]
assert config.listSubscribedSystems(key, "web")[0]["name"] == "web1"

tried = server.system.config.scheduleApplyConfigChannel(key, [number], moment(), True)
completed(tried)
assert not os.path.exists(place)
applied = server.system.config.scheduleApplyConfigChannel(key, [number], moment(), False)
completed(applied)
def held(name):
    with open(os.path.join(place, name), "rb") as file:
        return file.read()
assert held("both") == b"of web\n" and held("raw") == b"\x00\x01\xff"
assert os.stat(os.path.join(place, "both")).st_mode & 0o777 == 0o640
assert os.stat(os.path.join(place, "empty")).st_mode & 0o777 == 0o750
assert os.readlink(os.path.join(place, "link")) == "both"

put("web", "dir/motd", "hello\nthere\n", "644")
compared = config.scheduleFileComparisons(key, "web", os.path.join(place, "dir/motd"), [number])
completed(compared)
told = server.system.getEventDetails(key, number, compared)
assert "-world" in str(told) and "+there" in str(told), told
assert held("dir/motd") == b"hello\nworld\n"
assert config.deployAllSystems(key, "web") == 1
wait_for("not written", lambda: held("dir/motd") == b"hello\nthere\n")
old = config.lookupFileInfo(key, "web", os.path.join(place, "dir/motd"), 1)
assert old["contents"] == "hello\nworld\n" and old["revision"] == 1, old

# A file of the system itself is stronger; without the channel only that is left.
server.system.config.createOrUpdatePath(key, number, os.path.join(place, "both"), False, {
    "contents": "mine\n", "owner": user, "group": group, "permissions": "600"}, 1)
assert server.system.config.removeChannels(key, [number], ["web", "base"]) == 1
assert [f["path"] for f in server.system.config.listFiles(key, number, 1)] == [
    os.path.join(place, "both")]
assert server.system.config.deployAll(key, [number], moment()) == 1
wait_for("not written", lambda: held("both") == b"mine\n")

# What cannot be written is a failed action that says why.
config.createOrUpdatePath(key, "base", os.path.join(place, "both/below"), False, {
    "contents": "", "owner": user, "group": group, "permissions": "600"})
server.system.config.setChannels(key, [number], ["base"])
bad = server.system.config.scheduleApplyConfigChannel(key, [number], moment(), False)
wait_for("not failed", lambda: bad in numbers(server.schedule.listFailedActions(key)))
assert config.deleteChannels(key, ["web", "base"]) == 1
assert config.listGlobals(key) == []
)"));
}

TEST_CASE("a chain writes an old revision of a file, and then all that a system has") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(beginning + std::string(R"(
number = server.system.getId(key, "web1")[0]["id"]
config.create(key, "base", "Base", "for all")
put("base", "one", "old\n")
put("base", "one", "new\n")
put("base", "two", "two\n")
chains = server.actionchain
assert chains.createChain(key, "nightly") > 0
one = os.path.join(place, "one")
nothing = fault(chains.addApplyHighstate, key, number, "nightly")
assert nothing.faultCode == 1213, nothing
assert chains.addConfigurationDeployment(key, "nightly", number, [
    {"channelLabel": "base", "filePath": one, "revision": 1}]) == 1
import base64
look = base64.b64encode(("cat " + one).encode()).decode()
seen = chains.addScriptRun(key, number, "nightly", user, group, 60, look)
assert server.system.config.addChannels(key, [number], ["base"], False) == 1
assert chains.addApplyHighstate(key, number, "nightly") > 0
assert chains.scheduleChain(key, "nightly", moment()) == 1
wait_for("the chain", lambda: len(server.schedule.listCompletedActions(key)) == 1)
result, = server.system.getScriptResults(key, seen)
assert result["output"] == "old\n", result
for name, held in (("one", "new\n"), ("two", "two\n")):
    with open(os.path.join(place, name)) as file:
        assert file.read() == held, name
)"));
}

TEST_CASE("a real agent with an activation key comes into its groups and channels by itself") {
    xmlrpc_client_fixture here;
    here.key = here.python("print(server.auth.login('admin', password))\n");
    const auto output = here.python(R"(
made = server.activationkey.create(key, "till", "for tills", "", 1, ["monitoring_entitled"], False)
group = server.systemgroup.create(key, "tills", "where money is")
server.activationkey.addServerGroups(key, made, [group["id"]])
server.configchannel.create(key, "till", "Till", "")
server.activationkey.addConfigChannels(key, [made], ["till"], True)
details = server.activationkey.getDetails(key, made)
assert details["usage_limit"] == 1 and details["server_group_ids"] == [group["id"]], details
print(made, end="")
)");
    CHECK(output == "1-till");
    const auto file = here.home.path() / "activation.key";
    std::ofstream(file) << output << '\n';
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    const auto start = [&](const std::string& name) {
        return std::make_unique<harness::process>(harness::command{
            .argv =
                {MUSTER_AGENT_PROGRAM,
                 "run",
                 "--server",
                 "https://127.0.0.1:" + std::to_string(here.server.port()),
                 "--ca",
                 here.server.data() / "ca.pem",
                 "--data",
                 here.home.path() / name,
                 "--name",
                 name,
                 "--activation-key-file",
                 file,
                 "--poll-interval",
                 "1s",
                 "--retry-max",
                 "1s"},
            .environment = {},
            .output = here.home.path() / (name + ".log"),
            .user = {}});
    };
    const auto first = start("till1");
    here.wait_for("state:onboarded", 1);
    here.python(R"(
till, = server.systemgroup.listSystems(key, "tills")
assert till["profile_name"] == "till1", till
number = till["id"]
wait_for("no profile", lambda: server.system.listActivationKeys(key, number) == ["1-till"])
assert [c["label"] for c in server.system.config.listChannels(key, number)] == ["till"]
assert "monitoring_entitled" in server.system.getEntitlements(key, number)
came, = server.activationkey.listActivatedSystems(key, "1-till")
assert came["id"] == number, came
)");
    // Used up: the next one waits for an admin, until there is room.
    const auto second = start("till2");
    here.python(R"(
wait_for("nobody knocked", lambda: "till2" in server.saltkey.pendingList(key))
assert server.activationkey.setDetails(key, "1-till", {"unlimited_usage_limit": True}) == 1
assert server.activationkey.getDetails(key, "1-till")["usage_limit"] == 0
assert server.activationkey.delete(key, "1-till") == 1
assert server.activationkey.listActivationKeys(key) == []
)");
}

TEST_CASE("what people write down about a system outlives a new name and a new start") {
    xmlrpc_client_fixture here;
    here.take_in();
    const std::string check = R"(
number = server.system.getId(key, "web1")[0]["id"]
assert server.system.getCustomValues(key, number) == {"owner": "Ada"}
assert [n["subject"] for n in server.system.listNotes(key, number)] == ["disk"]
details = server.system.getDetails(key, number)
assert details["profile_name"] == "front desk" and details["lock_status"] is True, details
assert details["description"] == "by the door", details
assert [s["name"] for s in server.system.listSystems(key)] == ["front desk"]
)";
    here.python(R"(
number = server.system.getId(key, "web1")[0]["id"]
assert server.system.custominfo.createKey(key, "owner", "whose it is") == 1
assert server.system.setCustomValues(key, number, {"owner": "Ada"}) == 1
assert fault(server.system.setCustomValues, key, number, {"nobody": "x"}).faultCode == 1000
assert server.system.custominfo.listAllKeys(key)[0]["system_count"] == 1
assert server.system.addNote(key, number, "disk", "is loud") == 1
assert server.system.setProfileName(key, number, "front desk") == 1
assert server.system.setDetails(key, number, {"description": "by the door"}) == 1
assert server.system.setLockStatus(key, number, True) == 1
network = server.system.getNetwork(key, number)
assert network["hostname"], network
wait_for("its facts", lambda: server.system.getMemory(key, number).get("ram", 0) > 0)
)" + check);
    here.server.stop();
    here.server.start_and_wait_until_ready();
    here.python(R"(
wait_for("not read", lambda: server.system.custominfo.listAllKeys(key) != [])
wait_for("no profiles", lambda: server.system.getDetails(
    key, server.system.listSystems(key)[0]["id"])["lock_status"])
)" + check);
}

TEST_CASE("users, roles and organizations are made and removed, and the new ones log in") {
    xmlrpc_client_fixture here;
    here.key = here.python("print(server.auth.login('admin', password))\n");
    here.python(R"(
secret = "correct horse battery"
assert server.user.create(key, "ada", secret, "Ada", "Lovelace", "ada@acme.org") == 1
wait_for("no user", lambda: "ada" in [u["login"] for u in server.user.listUsers(key)])
details = server.user.getDetails(key, "ada")
assert details["first_name"] == "Ada" and details["last_name"] == "Lovelace", details
own = server.auth.login("ada", secret)
assert server.system.listSystems(own) == []
assert "people.change" in fault(server.user.delete, own, "admin").faultString
assert server.access.createRole(key, "packers", "pack", ["viewer"])["label"] == "packers"
wait_for("no role", lambda: "packers" in server.user.listAssignableRoles(key))
assert server.user.addRole(key, "ada", "packers") == 1
wait_for("not given", lambda: "packers" in server.user.listRoles(key, "ada"))
assert server.user.disable(key, "ada") == 1
assert fault(server.auth.login, "ada", secret).faultCode == 2950
assert server.user.delete(key, "ada") == 1
wait_for("still there", lambda: "ada" not in [u["login"] for u in server.user.listUsers(key)])
assert server.access.deleteRole(key, "packers") == 1

acme = server.org.create(key, "Acme", "boss", secret, "Ms.", "Ada", "King", "b@acme.org", False)
assert acme["name"] == "Acme", acme
wait_for("no zone", lambda: "Acme" in [o["name"] for o in server.org.listOrgs(key)])
wait_for("no admin", lambda: server.org.listUsers(key, acme["id"]) != [])
boss = server.auth.login("boss", secret)
assert server.system.listSystems(boss) == []
assert "whole cluster" in fault(server.org.listOrgs, boss).faultString
assert server.org.updateName(key, acme["id"], "Acme Ltd")["name"] == "Acme Ltd"
assert server.org.trusts.addTrust(key, 1, acme["id"]) == 1
assert server.org.trusts.listTrusts(key, acme["id"])[0]["trustEnabled"] is True
assert server.org.delete(key, acme["id"]) == 1
wait_for("still there", lambda: len(server.org.listOrgs(key)) == 1)
)");
}

}  // namespace
}  // namespace muster::integration
