// Software over the compatible API: a real repository, a real agent, and Python's own client.

#include "tests/integration/xmlrpc_packages_fixture.h"

namespace muster::integration {
namespace {

TEST_CASE("a channel is filled from a repository, and what a system lacks of it is told and done") {
    xmlrpc_packages_fixture here;
    here.take_in();
    here.python(R"(
assert {"name": "x86_64", "label": "channel-x86_64"} in server.channel.software.listArches(key)
assert server.channel.software.create(
    key, "shop", "Shop", "All for shops", "channel-x86_64", "", "sha256",
    {"url": "", "id": "", "fingerprint": ""}, False) == 1
create = server.channel.software.create
assert fault(create, key, "shop", "Another", "", "channel-x86_64", "").faultCode == 1206
assert fault(create, key, "a b", "Another", "", "channel-x86_64", "").faultCode == 1201
repo = server.channel.software.createRepo(key, "shop-repo", "yum", "file://" + repository)
assert repo["sourceUrl"] == "file://" + repository and repo["id"] > 0, repo
told = server.channel.software.associateRepo(key, "shop", "shop-repo")
assert told["contentSources"][0]["label"] == "shop-repo", told
assert server.channel.software.syncRepo(key, "shop") == 1
def synced():
    return server.channel.software.getDetails(key, "shop")["sync_status"] == "completed"
wait_for("it is not synced", synced)
all = server.channel.software.listAllPackages(key, "shop")
assert sorted((p["name"], p["version"], p["release"]) for p in all) == [
    ("scale", "3.0", "1"), ("till", "1.0", "1"), ("till", "1.0", "2")], all
latest = server.channel.software.listLatestPackages(key, "shop")
assert sorted((p["name"], p["release"]) for p in latest) == [("scale", "1"), ("till", "2")], latest
assert server.channel.listSoftwareChannels(key)[0]["label"] == "shop"
assert server.channel.listAllChannels(key)[0]["packages"] == 3
errata = server.channel.software.listErrata(key, "shop")
assert [e["advisory_name"] for e in errata] == ["SHOP-1"], errata
assert errata[0]["issue_date"] == "2026-10-01", errata
assert server.errata.findByCve(key, "CVE-2026-1")[0]["advisory_name"] == "SHOP-1"
assert server.errata.listCves(key, "SHOP-1") == ["CVE-2026-1"]
details = server.errata.getDetails(key, "SHOP-1")
assert details["description"] == "It was not." and details["reboot_suggested"], details
fixed, = server.errata.listPackages(key, "SHOP-1")
assert fixed["release"] == "2" and fixed["providing_channels"] == ["shop"], fixed
assert server.errata.applicableToChannels(key, "SHOP-1")[0]["label"] == "shop"
assert len(server.packages.search.advanced(key, "name:till AND release:2")) == 1
package = server.packages.getDetails(key, fixed["id"])
assert package["file"] == "till-1.0-2.noarch.rpm" and len(package["checksum"]) == 64, package
)");
    here.python(R"(
wait_for("no packages", lambda: len(server.system.listPackages(key, sid)) == 2)
assert server.system.listLatestUpgradablePackages(key, sid) == []
assert server.system.setBaseChannel(key, sid, "shop") == 1
assert server.system.getSubscribedBaseChannel(key, sid)["label"] == "shop"
assert server.system.listSubscribedChildChannels(key, sid) == []
assert [s["id"] for s in server.channel.software.listSubscribedSystems(key, "shop")] == [sid]
upgrade, = server.system.listLatestUpgradablePackages(key, sid)
assert upgrade["name"] == "till", upgrade
assert (upgrade["from_release"], upgrade["to_release"]) == ("1", "2"), upgrade
erratum, = server.system.getRelevantErrata(key, sid)
assert erratum["advisory_name"] == "SHOP-1", erratum
assert server.system.getRelevantErrata(key, [sid])[0]["errata"][0]["id"] == erratum["id"]
assert [s["id"] for s in server.errata.listAffectedSystems(key, "SHOP-1")] == [sid]
all = server.channel.software.listAllPackages(key, "shop")
old, = [p for p in all if (p["name"], p["release"]) == ("till", "1")]
assert [s["id"] for s in server.system.listSystemsWithPackage(key, old["id"])] == [sid]
assert server.system.listSystemsWithPackage(key, upgrade["to_package_id"]) == []
latest, = server.system.listLatestAvailablePackage(key, [sid], "scale")
assert latest["package"]["version"] == "3.0", latest
assert server.system.createPackageProfile(key, sid, "before", "as it was") == 1
actions = server.system.scheduleApplyErrata(key, [sid], [erratum["id"]], moment())
assert len(actions) == 1, actions
wait_for("not done", lambda: actions[0] in done())
wait_for("not told", lambda: server.system.listLatestUpgradablePackages(key, sid) == [])
assert server.system.getRelevantErrata(key, sid) == []
assert server.errata.listAffectedSystems(key, "SHOP-1") == []
difference, = server.system.comparePackageProfile(key, sid, "before")
assert (difference["package_name"], difference["comparison"]) == ("till", 2), difference
assert server.system.comparePackages(key, sid, sid) == []
profile, = server.system.listPackageProfiles(key)
assert server.system.deletePackageProfile(key, profile["id"]) == 1
)");
    CHECK(text_of(here.called) == "-y upgrade -- till-1.0-2.noarch\n");
    here.python(R"(
all = server.channel.software.listAllPackages(key, "shop")
scale, = [p["id"] for p in all if p["name"] == "scale"]
action = server.system.schedulePackageInstall(key, sid, [scale], moment())
assert isinstance(action, int), action
wait_for("not done", lambda: action in done())
action = server.system.schedulePackageRefresh(key, sid, moment())
wait_for("not done", lambda: action in done())
copy = {"name": "Copy", "label": "copy", "summary": ""}
assert server.channel.software.clone(key, "shop", copy, False) > 0
assert server.channel.software.removePackages(key, "copy", [scale]) == 1
left = server.channel.software.listAllPackages(key, "copy")
assert [p["name"] for p in left].count("scale") == 0
merged = server.channel.software.mergePackages(key, "shop", "copy")
assert [p["name"] for p in merged] == ["scale"]
assert server.channel.software.removeErrata(key, "copy", ["SHOP-1"], True) == 1
assert server.errata.cloneAsOriginal(key, "copy", ["SHOP-1"])[0]["advisory_name"] == "SHOP-1"
assert fault(server.channel.software.delete, key, "shop").faultCode == -1
assert server.kickstart.tree.list(key, "shop") == [] and server.proxy.listProxies(key) == []
)");
    CHECK(text_of(here.called).ends_with("-y install -- scale-3.0-1.noarch\n"));
}

TEST_CASE("a system goes over to another product, after a dry run that changes nothing") {
    xmlrpc_packages_fixture here;
    here.take_in();
    here.python(R"(
create = server.channel.software.create
for label, parent in (("leap15", ""), ("leap16", ""), ("leap16-updates", "leap16")):
    assert create(key, label, label, "", "channel-x86_64", parent) == 1
wait_for("no packages", lambda: len(server.system.listPackages(key, sid)) == 2)
assert server.system.setBaseChannel(key, sid, "leap15") == 1
target, = server.system.listMigrationTargets(key, sid)
assert target["friendly"] == "leap16", target
migrate = server.system.scheduleProductMigration
tried = migrate(key, sid, target["ident"], "leap16", ["leap16-updates"], True, False, moment())
wait_for("not tried", lambda: tried in done())
assert server.system.getSubscribedBaseChannel(key, sid)["label"] == "leap15"
)");
    CHECK(text_of(here.called) == "-y --setopt=tsflags=test distro-sync\n");
    here.python(R"(
action = server.system.scheduleProductMigration(
    key, sid, "leap16", ["leap16-updates"], False, moment())
wait_for("not done", lambda: action in done())
assert server.system.getSubscribedBaseChannel(key, sid)["label"] == "leap16"
assert [c["label"] for c in server.system.listSubscribedChildChannels(key, sid)] == [
    "leap16-updates"]
)");
    CHECK(text_of(here.called).ends_with("test distro-sync\n-y distro-sync\n"));
}

}  // namespace
}  // namespace muster::integration
