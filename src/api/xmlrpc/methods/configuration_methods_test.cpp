#include "tests/fixtures/api/compat_values.h"

#include <algorithm>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

TEST_CASE("a channel is made, filled with files, read again and removed") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto web = text("web");
    const auto result =
        fixture.call("configchannel.create", {key, web, text("Web"), text("for web")});
    CHECK(result.contains(named("label", "web")));
    CHECK(result.contains(named("label", "normal")));
    CHECK(fixture.call("configchannel.create", {key, web, text("Web"), text("")})
              .contains(fault_code(1023)));
    CHECK(fixture.call("configchannel.create", {key, text("a b"), text("x"), text("")})
              .contains(fault_code(1023)));
    CHECK(
        fixture.call("configchannel.listGlobals", {key}).contains(named("description", "for web")));
    const auto path = text("/etc/motd");
    const auto put = fixture.call(
        "configchannel.createOrUpdatePath",
        {key,
         web,
         path,
         flag(false),
         structure(
             {{"contents", text("hello\n")},
              {"owner", text("root")},
              {"permissions", text("600")}})});
    CHECK(put.contains(counted("revision", 1)));
    CHECK(put.contains(counted("permissions", 600)));
    CHECK(put.contains(named("contents", "hello\n")));
    CHECK(put.contains(flagged("contents_enc64", false)));
    const auto binary = structure(
        {{"contents", text("AAEC")}, {"contents_enc64", flag(true)}, {"revision", number(2)}});
    const auto again =
        fixture.call("configchannel.createOrUpdatePath", {key, web, path, flag(false), binary});
    CHECK(again.contains(counted("revision", 2)));
    CHECK(again.contains(named("contents", "AAEC")));
    CHECK(again.contains(flagged("binary", true)));
    CHECK(again.contains(counted("permissions", 600)));  // as it was
    CHECK(fixture.call("configchannel.lookupFileInfo", {key, web, path, number(1)})
              .contains("hello"));
    CHECK(fixture.call("configchannel.getEncodedFileRevision", {key, web, path, number(1)})
              .contains(named("contents", "aGVsbG8K")));
    CHECK(
        count(
            fixture.call("configchannel.lookupFileInfo", {key, web, texts({"/etc/motd", "/no"})}),
            "<struct>")
        == 1);
    CHECK(fixture
              .call(
                  "configchannel.createOrUpdateSymlink",
                  {key, web, text("/etc/l"), structure({{"target_path", text("motd")}})})
              .contains(named("target_path", "motd")));
    CHECK(count(fixture.call("configchannel.listFiles", {key, web}), "<struct>") == 2);
    for (const char* wrong : {"etc/x", "/etc/../x", "/"})
        CHECK(fixture
                  .call(
                      "configchannel.createOrUpdatePath",
                      {key, web, text(wrong), flag(false), structure({})})
                  .contains(fault_code(1023)));
    CHECK(fixture.call("configchannel.deleteFiles", {key, web, texts({"/etc/l"})}).contains(done));
    CHECK(count(fixture.call("configchannel.listFiles", {key, web}), "<struct>") == 1);
    CHECK(fixture.call("configchannel.deleteChannels", {key, texts({"web"})}).contains(done));
    CHECK(fixture.call("configchannel.getDetails", {key, web}).contains("not found"));
    CHECK(std::ranges::count(fixture.audited(), "configchannel.deleteChannels") == 1);
}

TEST_CASE("a channel of states has its init.sls") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto label = text("states");
    const auto result = fixture.call(
        "configchannel.create",
        {key,
         label,
         text("States"),
         text(""),
         text("state"),
         structure({{"contents", text("a: []\n")}})});
    CHECK(result.contains(named("label", "state")));
    CHECK(fixture.call("configchannel.lookupFileInfo", {key, label, texts({"/init.sls"})})
              .contains("a: []"));
    CHECK(
        fixture
            .call("configchannel.updateInitSls", {key, label, structure({{"contents", text("b")}})})
            .contains(counted("revision", 2)));
}

TEST_CASE("systems and groups have channels in an order, and a system's own files are stronger") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    for (const char* name : {"one", "two", "three"}) {
        fixture.call("configchannel.create", {key, text(name), text(name), text("")});
        fixture.call(
            "configchannel.createOrUpdatePath",
            {key, text(name), text("/etc/f"), flag(false), structure({{"contents", text(name)}})});
    }
    const auto order = [&](const std::string& response) {
        std::string result;
        for (auto at = response.find("<name>label</name>"); at != std::string::npos;
             at = response.find("<name>label</name>", at + 1)) {
            const auto from = response.find("<string>", at) + 8;
            const auto label = response.substr(from, response.find('<', from) - from);
            if (label != "normal") result += label + " ";
        }
        return result;
    };
    const auto has = [&] {
        return order(fixture.call("system.config.listChannels", {key, number(1)}));
    };
    CHECK(
        fixture
            .call("system.config.addChannels", {key, numbers({1, 2}), texts({"one"}), flag(false)})
            .contains(done));
    fixture.call("system.config.addChannels", {key, numbers({1}), texts({"two"}), number(1)});
    CHECK(has() == "two one ");
    fixture.call("systemgroup.create", {key, text("shop"), text("")});
    fixture.call("systemgroup.addOrRemoveSystems", {key, text("shop"), numbers({1}), flag(true)});
    CHECK(fixture.call("systemgroup.subscribeConfigChannel", {key, text("shop"), texts({"three"})})
              .contains(done));
    CHECK(has() == "two one three ");
    CHECK(
        count(fixture.call("configchannel.listSubscribedSystems", {key, text("one")}), "<struct>")
        == 2);
    CHECK(fixture.call("configchannel.listSubscribedSystems", {key, text("three")})
              .contains(named("name", "web1")));
    CHECK(fixture.call("configchannel.listAssignedSystemGroups", {key, text("three")})
              .contains(named("name", "shop")));
    CHECK(fixture.call("system.config.listFiles", {key, number(1), number(1)})
              .contains(named("channel_label", "two")));
    fixture.call(
        "system.config.createOrUpdatePath",
        {key,
         number(1),
         text("/etc/f"),
         flag(false),
         structure({{"contents", text("mine")}}),
         number(1)});
    CHECK(
        fixture.call("system.config.lookupFileInfo", {key, number(1), texts({"/etc/f"}), number(1)})
            .contains(named("contents", "mine")));
    CHECK(fixture.call("system.config.listFiles", {key, number(1), flag(true)})
              .contains("local_override"));
    CHECK(
        count(fixture.call("system.config.listFiles", {key, number(1), flag(false)}), "<struct>")
        == 0);
    CHECK(fixture.call("system.config.setChannels", {key, numbers({1}), texts({"one", "two"})})
              .contains(done));
    CHECK(has() == "one two three ");
    fixture.call("system.config.removeChannels", {key, numbers({1}), texts({"one"})});
    fixture.call("systemgroup.unsubscribeConfigChannel", {key, text("shop"), texts({"three"})});
    CHECK(has() == "two ");
    CHECK(fixture.call("system.config.addChannels", {key, numbers({1}), texts({"no"}), flag(true)})
              .contains("configuration channel \"no\" not found"));
    CHECK(fixture.call("system.config.addChannels", {key, numbers({9}), texts({"one"}), flag(true)})
              .contains("sid = 9"));
}

TEST_CASE("files are written by actions, and systems without any are told so") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    fixture.call("configchannel.create", {key, text("web"), text("Web"), text("")});
    fixture.call(
        "configchannel.createOrUpdatePath",
        {key, text("web"), text("/etc/f"), flag(false), structure({{"contents", text("x")}})});
    const auto now = std::string("<dateTime.iso8601>20200101T00:00:00</dateTime.iso8601>");
    CHECK(fixture.call("system.config.deployAll", {key, numbers({1}), now})
              .contains("no configuration files"));
    fixture.call("system.config.addChannels", {key, numbers({1, 2}), texts({"web"}), flag(true)});
    CHECK(fixture.call("system.config.deployAll", {key, numbers({1, 2}), now}).contains(done));
    const auto applied = fixture.call(
        "system.config.scheduleApplyConfigChannel", {key, numbers({1, 2}), now, flag(true)});
    CHECK(applied.contains("<i4>"));
    CHECK(fixture.call("configchannel.deployAllSystems", {key, text("web")}).contains(done));
    CHECK(fixture.call("configchannel.deployAllSystems", {key, text("web"), text("/etc/f"), now})
              .contains(done));
    CHECK(fixture.call("configchannel.deployAllSystems", {key, text("web"), text("/etc/no")})
              .contains("fault"));
    CHECK(fixture
              .call(
                  "configchannel.scheduleFileComparisons",
                  {key, text("web"), text("/etc/f"), numbers({1})})
              .contains("<i4>"));
    fixture.call("system.setLockStatus", {key, number(2), flag(true)});
    CHECK(fixture.call("system.config.deployAll", {key, numbers({1, 2}), now})
              .contains("system 2 is locked"));
    fixture.add_user("reader", {{.role = "viewer", .zone = ""}});
    const auto reader = fixture.log_in("reader");
    CHECK(
        fixture.call("system.config.deployAll", {reader, numbers({1}), now}).contains("jobs.run"));
}

TEST_CASE("who has rights in one zone gives systems no channels, and sees none by comparing") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    for (const char* name : {"mine", "secret"}) {
        fixture.call("configchannel.create", {key, text(name), text(name), text("")});
        fixture.call(
            "configchannel.createOrUpdatePath",
            {key, text(name), text("/etc/f"), flag(false), structure({{"contents", text(name)}})});
    }
    fixture.call("system.config.addChannels", {key, numbers({4}), texts({"mine"}), flag(true)});
    fixture.add_user("far", {{.role = "admin", .zone = "far"}});
    const auto far = fixture.log_in("far");
    const auto whole = "in the whole cluster";
    CHECK(fixture
              .call("system.config.addChannels", {far, numbers({4}), texts({"secret"}), flag(true)})
              .contains(whole));
    CHECK(fixture.call("system.config.setChannels", {far, numbers({4}), texts({"mine", "secret"})})
              .contains(whole));
    const auto compared = [&](const char* label) {
        return fixture.call(
            "configchannel.scheduleFileComparisons",
            {far, text(label), text("/etc/f"), numbers({4})});
    };
    CHECK(compared("secret").contains(whole));
    CHECK(compared("mine").contains("<i4>"));
    CHECK(!compared("mine").contains("fault"));
    const auto output = fixture.call(
        "system.config.lookupFileInfo", {far, number(4), texts({"/etc/f"}), number(1)});
    CHECK(output.contains(named("contents", "mine")));
    CHECK(fixture.call("system.config.setChannels", {far, numbers({4}), texts({"mine"})})
              .contains(done));
    CHECK(fixture.call("system.config.removeChannels", {far, numbers({4}), texts({"mine"})})
              .contains(done));
}

TEST_CASE("custom values are of keys that are there, and go with them") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto owner = text("owner");
    CHECK(fixture.call("system.custominfo.createKey", {key, owner, text("whose")}).contains(done));
    CHECK(fixture.call("system.custominfo.createKey", {key, owner, text("")}).contains("fault"));
    CHECK(fixture
              .call("system.setCustomValues", {key, number(1), structure({{"owner", text("Ada")}})})
              .contains(done));
    CHECK(fixture.call("system.setCustomValues", {key, number(1), structure({{"no", text("x")}})})
              .contains(fault_code(1000)));
    CHECK(fixture.call("system.getCustomValues", {key, number(1)}).contains(named("owner", "Ada")));
    CHECK(
        fixture.call("system.custominfo.listAllKeys", {key}).contains(counted("system_count", 1)));
    CHECK(
        fixture.call("system.custominfo.updateKey", {key, owner, text("who pays")}).contains(done));
    CHECK(fixture.call("system.custominfo.listAllKeys", {key}).contains("who pays"));
    CHECK(fixture.call("system.deleteCustomValues", {key, number(1), texts({"owner"})})
              .contains(done));
    CHECK(!fixture.call("system.getCustomValues", {key, number(1)}).contains("Ada"));
    fixture.call("system.setCustomValues", {key, number(2), structure({{"owner", text("Bob")}})});
    CHECK(fixture.call("system.custominfo.deleteKey", {key, owner}).contains(done));
    CHECK(!fixture.call("system.getCustomValues", {key, number(2)}).contains("Bob"));
    CHECK(count(fixture.call("system.custominfo.listAllKeys", {key}), "<struct>") == 0);
}

TEST_CASE("what is written down about a system is shown wherever the system is") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto one = number(1);
    CHECK(fixture.call("system.setProfileName", {key, one, text("front desk")}).contains(done));
    CHECK(fixture.call("system.setProfileName", {key, one, text("ab")}).contains(fault_code(1060)));
    CHECK(fixture.call("system.setProfileName", {key, one, text(std::string(200, 'x'))})
              .contains(fault_code(1061)));
    CHECK(fixture.call("system.listSystems", {key}).contains(named("name", "front desk")));
    CHECK(fixture.call("system.setDetails", {key, one, structure({{"description", text("old")}})})
              .contains(done));
    fixture.call(
        "system.setDetails",
        {key, one, structure({{"rack", text("r7")}, {"contact_method", text("ssh-push")}})});
    CHECK(
        fixture
            .call("system.setDetails", {key, one, structure({{"contact_method", text("pigeon")}})})
            .contains(fault_code(2801)));
    CHECK(fixture.call("system.setLockStatus", {key, one, flag(true)}).contains(done));
    CHECK(fixture.call("system.addEntitlements", {key, one, texts({"monitoring_entitled"})})
              .contains(done));
    const auto details = fixture.call("system.getDetails", {key, one});
    CHECK(details.contains(named("profile_name", "front desk")));
    CHECK(details.contains(named("minion_id", "web1")));
    CHECK(details.contains(named("description", "old")));
    CHECK(details.contains(named("rack", "r7")));
    CHECK(details.contains(named("contact_method", "ssh-push")));
    CHECK(details.contains(flagged("lock_status", true)));
    CHECK(details.contains("monitoring_entitled"));
    CHECK(count(fixture.call("system.getEntitlements", {key, one}), "<string>") == 2);
    CHECK(fixture.call("system.addEntitlements", {key, one, texts({"nonsense"})})
              .contains(fault_code(2801)));
    fixture.call("system.removeEntitlements", {key, one, texts({"monitoring_entitled"})});
    CHECK(count(fixture.call("system.getEntitlements", {key, one}), "<string>") == 1);
    CHECK(fixture.call("system.addNote", {key, one, text("disk"), text("is loud")}).contains(done));
    fixture.call("system.addNote", {key, one, text("fan"), text("is not")});
    const auto notes = fixture.call("system.listNotes", {key, one});
    CHECK(notes.contains(named("note", "is loud")));
    CHECK(notes.contains(named("creator", "admin")));
    CHECK(fixture.call("system.deleteNote", {key, one, number(1)}).contains(done));
    CHECK(
        fixture.call("system.deleteNote", {key, one, number(1)}).contains("note \"1\" not found"));
    CHECK(count(fixture.call("system.listNotes", {key, one}), "<struct>") == 1);
    CHECK(fixture.call("system.deleteNotes", {key, one}).contains(done));
    CHECK(count(fixture.call("system.listNotes", {key, one}), "<struct>") == 0);
    fixture.add_user("far", {{.role = "operator", .zone = "far"}});
    const auto far = fixture.log_in("far");
    CHECK(fixture.call("system.addNote", {far, one, text("a"), text("b")})
              .contains("No such system"));
}

TEST_CASE("formulas of a group are kept with their data and given back") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const auto result = fixture.call("systemgroup.create", {key, text("shop"), text("")});
    const auto id =
        number(std::stoll(result.substr(result.find("<name>id</name><value><i4>") + 26)));
    const auto name = text("dhcpd");
    const auto data = structure({{"subnet", text("192.0.2.0/24")}, {"lease", number(60)}});
    CHECK(fixture.call("formula.setGroupFormulaData", {key, id, name, data}).contains("fault"));
    CHECK(fixture.call("formula.setFormulasOfGroup", {key, id, texts({"dhcpd"})}).contains(done));
    CHECK(fixture.call("formula.setGroupFormulaData", {key, id, name, data}).contains(done));
    CHECK(
        fixture.call("formula.getFormulasByGroupId", {key, id}).contains("<string>dhcpd</string>"));
    const auto response = fixture.call("formula.getGroupFormulaData", {key, id, name});
    CHECK(response.contains(named("subnet", "192.0.2.0/24")));
    CHECK(response.contains(counted("lease", 60)));
    fixture.add_user("far", {{.role = "admin", .zone = "far"}});
    const auto far = fixture.log_in("far");
    CHECK(fixture.call("formula.getGroupFormulaData", {far, id, name}).contains("fault"));
    CHECK(fixture.call("formula.getFormulasByGroupId", {far, id}).contains("fault"));
    CHECK(fixture.call("formula.setFormulasOfGroup", {key, id, texts({})}).contains(done));
    CHECK(count(fixture.call("formula.getFormulasByGroupId", {key, id}), "<string>") == 0);
    CHECK(fixture.call("formula.getFormulasByGroupId", {key, number(999)})
              .contains(fault_code(2201)));
}

TEST_CASE("what systems told of their hardware is shown and searched") {
    xmlrpc_fixture fixture;
    const auto key = fixture.log_in();
    const std::vector<fleet::search::system_facts> facts{
        {system_number(2),
         {{"addresses", "192.0.2.17"},
          {"addresses", "2001:db8::17"},
          {"cpu.count", "4"},
          {"cpu.model", "Good CPU"},
          {"devices.card0.driver", "virtio"},
          {"devices.card0.vendor", "0x1af4"},
          {"disks.srv/data.device", "/dev/vdb1"},
          {"disks.srv/data.size", "1073741824"},
          {"disks.srv/data.type", "btrfs"},
          {"fqdn", "shop.acme.org"},
          {"hostname", "shop"},
          {"interfaces.eth0.addresses", "192.0.2.17"},
          {"interfaces.eth0.mac", "02:00:00:00:00:01"},
          {"memory.total", "2147483648"}}},
        {system_number(3), {{"hostname", "SHOP"}, {"interfaces.e.mac", "02:00:00:00:00:01"}}}};
    fixture.found.set_facts(facts);
    const auto two = number(2);
    CHECK(fixture.call("system.getNetwork", {key, two}).contains(named("ip6", "2001:db8::17")));
    CHECK(
        fixture.call("system.getNetworkDevices", {key, two}).contains(named("interface", "eth0")));
    CHECK(fixture.call("system.getCpu", {key, two}).contains(named("model", "Good CPU")));
    CHECK(fixture.call("system.getMemory", {key, two}).contains(counted("ram", 2048)));
    CHECK(fixture.call("system.getDevices", {key, two}).contains(named("driver", "virtio")));
    CHECK(fixture.call("system.listFqdns", {key, two}).contains("shop.acme.org"));
    CHECK(!fixture.call("system.getDmi", {key, two}).contains("fault"));
    CHECK(!fixture.call("system.getUuid", {key, two}).contains("fault"));
    const auto virtual_ones = fixture.call("system.search.deviceDriver", {key, text("VIRT")});
    CHECK(count(virtual_ones, "<struct>") == 1);
    CHECK(virtual_ones.contains(named("hw_driver", "virtio")));
    CHECK(virtual_ones.contains(named("hostname", "shop")));
    CHECK(virtual_ones.contains(named("ip", "192.0.2.17")));
    CHECK(virtual_ones.contains("<name>uuid</name>"));
    CHECK(fixture.call("system.search.deviceVendorId", {key, text("1af4")})
              .contains(named("hw_vendor_id", "0x1af4")));
    CHECK(fixture.call("system.search.deviceDriver", {key, text("btrfs")})
              .contains(named("hw_driver", "btrfs")));
    CHECK(fixture.call("system.search.deviceDescription", {key, text("srv/data")})
              .contains("<name>hw_description</name>"));
    CHECK(count(fixture.call("system.search.deviceVendorId", {key, text("y")}), "<struct>") == 0);
    CHECK(
        fixture.call("system.listDuplicatesByHostname", {key}).contains(named("hostname", "shop")));
    CHECK(fixture.call("system.listDuplicatesByMac", {key}).contains("02:00:00:00:00:01"));
    CHECK(count(fixture.call("system.listDuplicatesByIp", {key}), "<struct>") == 0);
}

}  // namespace
}  // namespace muster::xmlrpc_api
