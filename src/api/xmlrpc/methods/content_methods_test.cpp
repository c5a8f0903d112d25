#include "api/xmlrpc/methods/content_methods.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "tests/fixtures/api/compat_values.h"
#include "tests/fixtures/content/repository_builder.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;
using content::test::advisory;
using content::test::made_package;
using content::test::make_rpm_repository;

std::string now() {
    return "<dateTime.iso8601>20200101T00:00:00</dateTime.iso8601>";
}

const std::vector<made_package> shop{
    {.name = "till", .version = "1.0"}, {.name = "till", .version = "1.0", .release = "2"}};

// A channel with the packages of a repository, which web1 of one zone and far4 of another have,
// both with the older till.
struct shop_site : xmlrpc_fixture {
    std::string key = log_in();

    shop_site() {
        make_rpm_repository(where.path() / "repo", shop, advisory("SHOP-1", "CVE-1", shop[1]));
        make("shop", "");
        call(
            "channel.software.createRepo",
            {key, text("repo"), text("yum"), text((where.path() / "repo").string())});
        call("channel.software.associateRepo", {key, text("shop"), text("repo")});
        const auto done = run_sync(software.syncs.sync({.channel = "shop", .by = "me"}));
        REQUIRE_MESSAGE(done.has_value(), to_string(done.error()));
        const std::string list = "packages rpm\ntill\t\t1.0\t1\tnoarch\n";
        const auto digest = to_hex(pki::sha256(list));
        REQUIRE(run_sync(software.sets.put(digest, list)).has_value());
        std::vector<fleet::search::system_facts> told_factses;
        for (const int number : {1, 4})
            told_factses.emplace_back(
                system_number(number),
                std::vector<targeting::fact>{{.path = "packages.digest", .text = digest}});
        found.set_facts(told_factses);
        found.set_facts_complete();
        for (const int each : {1, 4})
            REQUIRE(run_sync(software.service.subscribe(system_number(each), "shop", {}, "me"))
                        .has_value());
    }

    std::string make(const std::string& label, const std::string& parent) {
        return call(
            "channel.software.create",
            {key,
             text(label),
             text(label + " by name"),
             text(""),
             text("channel-x86_64"),
             text(parent)});
    }
    std::int64_t newest() const {
        return software.store.shelf_of({"shop"})->newest("till")->number;
    }
};

TEST_CASE("a namespace is told once, however its methods' names lie between others") {
    xmlrpc_fixture fixture;
    CHECK(count(fixture.call("api.getApiNamespaces"), "<name>system</name>") == 1);
    CHECK(count(fixture.call("api.getApiCallList"), "<name>system</name>") == 1);
}

TEST_CASE("what systems lack is told of those that the caller may see, and of no others") {
    shop_site fixture;
    CHECK(
        count(fixture.call("errata.listAffectedSystems", {fixture.key, text("SHOP-1")}), "<struct>")
        == 2);
    CHECK(
        count(
            fixture.call("channel.software.listSubscribedSystems", {fixture.key, text("shop")}),
            "<struct>")
        == 2);
    CHECK(
        count(
            fixture.call(
                "system.listSystemsWithPackage",
                {fixture.key, text("till"), text("1.0"), text("1")}),
            "<struct>")
        == 2);
    fixture.add_user("near", {{.role = "viewer", .zone = "default"}});
    const auto key = fixture.log_in("near");
    const auto observed = fixture.call("errata.listAffectedSystems", {key, text("SHOP-1")});
    CHECK(count(observed, "<struct>") == 1);
    CHECK(observed.contains(named("name", "web1")));
    CHECK(
        count(
            fixture.call("channel.software.listSubscribedSystems", {key, text("shop")}), "<struct>")
        == 1);
    CHECK(fixture.call("system.listPackages", {key, number(1)}).contains(named("name", "till")));
    CHECK(fixture.call("system.listPackages", {key, number(4)}).contains("fault"));
    CHECK(fixture.call("system.getRelevantErrata", {key, numbers({1, 4})}).contains("fault"));
    CHECK(fixture.make("other", "").contains("<i4>1</i4>"));
    CHECK(fixture.call("channel.software.delete", {key, text("other")}).contains("common.edit"));
    CHECK(fixture.call("system.setBaseChannel", {key, number(1), text("other")})
              .contains("systems.change"));
}

TEST_CASE("packages, upgrades and errata of a system are those of its channels") {
    shop_site fixture;
    const auto upgrades =
        fixture.call("system.listLatestUpgradablePackages", {fixture.key, number(1)});
    CHECK(count(upgrades, "<struct>") == 1);
    CHECK(upgrades.contains(named("to_release", "2")));
    CHECK(
        count(
            fixture.call("channel.software.listPackagesWithoutChannel", {fixture.key}), "<struct>")
        == 0);
    CHECK(upgrades.contains(
        "<name>to_package_id</name><value><i4>" + std::to_string(fixture.newest()) + "</i4>"));
    // One that has told nothing, and one that has no channel.
    CHECK(count(fixture.call("system.listPackages", {fixture.key, number(2)}), "<struct>") == 0);
    fixture.call("system.setBaseChannel", {fixture.key, number(1), text("")});
    CHECK(
        count(fixture.call("system.getRelevantErrata", {fixture.key, number(1)}), "<struct>") == 0);
    CHECK(
        count(fixture.call("errata.listAffectedSystems", {fixture.key, text("SHOP-1")}), "<struct>")
        == 1);
    const auto newest = fixture.newest();
    CHECK(
        fixture
            .call("channel.software.removePackages", {fixture.key, text("shop"), numbers({newest})})
            .contains("<i4>1</i4>"));
    const auto alone = fixture.call("channel.software.listPackagesWithoutChannel", {fixture.key});
    CHECK(count(alone, "<struct>") == 1);
    CHECK(alone.contains("<name>last_modified</name><value><dateTime.iso8601>"));
    CHECK(alone.contains("<name>path</name><value><string>"));
    CHECK(alone.contains("<name>part_of_retracted_patch</name><value><boolean>0</boolean>"));
    CHECK(alone.contains("<name>provider</name>"));
}

TEST_CASE("channels are changed as clients know it, and refuse with the codes that they know") {
    shop_site fixture;
    CHECK(fixture.make("shop", "").contains(fault_code(1206)));
    CHECK(fixture.make("a b", "").contains(fault_code(1201)));
    CHECK(fixture.make("child", "none").contains(fault_code(1202)));
    CHECK(fixture.make("child", "shop").contains("<i4>1</i4>"));
    CHECK(fixture.call("system.setChildChannels", {fixture.key, number(1), texts({"child"})})
              .contains("<i4>1</i4>"));
    CHECK(fixture.call("system.listSubscribedChildChannels", {fixture.key, number(1)})
              .contains(named("label", "child")));
    CHECK(fixture.call("system.setChildChannels", {fixture.key, number(1), texts({"shop"})})
              .contains(fault_code(1230)));
    CHECK(fixture.call("channel.software.getDetails", {fixture.key, text("none")})
              .contains(fault_code(1209)));
    CHECK(
        fixture
            .call("channel.software.addPackages", {fixture.key, text("child"), numbers({999'999})})
            .contains(fault_code(2300)));
    CHECK(fixture
              .call(
                  "channel.software.addPackages",
                  {fixture.key, text("child"), numbers({fixture.newest()})})
              .contains("<i4>1</i4>"));
    CHECK(fixture.call("packages.listProvidingChannels", {fixture.key, number(fixture.newest())})
              .contains(named("label", "child")));
    CHECK(fixture.call("channel.software.syncRepo", {fixture.key, text("child")})
              .contains("no repository"));
    const auto scheduled = [&fixture](const char* when) {
        return fixture.call("channel.software.syncRepo", {fixture.key, text("shop"), text(when)});
    };
    CHECK(scheduled("0 30 3 ? * *").contains("<i4>1</i4>"));
    CHECK(fixture.call("channel.software.getRepoSyncCronExpression", {fixture.key, text("shop")})
              .contains("0 30 3"));
    CHECK(scheduled("every day").contains("fault"));
    const auto with = [&fixture](const std::string& what, std::vector<std::string> more = {}) {
        std::vector<std::string> inputs{fixture.key, text("shop")};
        inputs.insert(inputs.end(), more.begin(), more.end());
        inputs.push_back(structure({{what, flag(true)}}));
        return fixture.call("channel.software.syncRepo", inputs);
    };
    CHECK(with("fail").contains("<i4>1</i4>"));
    CHECK(with("latest").contains("`latest` is not supported"));
    CHECK(with("sync-kickstart").contains("`sync-kickstart` is not supported"));
    CHECK(with("no-errata", {text("0 30 3 ? * *")}).contains("for one time only"));
    CHECK(scheduled("").contains("<i4>1</i4>"));
    CHECK(fixture.call("channel.software.getRepoSyncCronExpression", {fixture.key, text("shop")})
              .contains("<string></string>"));
    CHECK(
        fixture.call("errata.getDetails", {fixture.key, text("none")}).contains(fault_code(2600)));
    CHECK(fixture.call("packages.search.advanced", {fixture.key, text("colour:red")})
              .contains("colour"));
}

TEST_CASE("errata are applied by one action for all systems that need the same") {
    shop_site fixture;
    const auto erratum = fixture.software.store.find<content::erratum>("SHOP-1")->row.number;
    const auto unscheduled = [&] {
        return count(
            fixture.call("system.getUnscheduledErrata", {fixture.key, number(1)}), "<struct>");
    };
    CHECK(unscheduled() == 1);
    const auto done = fixture.call(
        "system.scheduleApplyErrata", {fixture.key, numbers({1, 4}), numbers({erratum}), now()});
    CHECK(!done.contains("fault"));
    CHECK(count(done, "<i4>") == 1);
    CHECK(unscheduled() == 0);
    const auto action = done.substr(done.find("<i4>") + 4);
    const auto which = numbers({std::stoll(action)});
    CHECK(!fixture.call("schedule.cancelActions", {fixture.key, which}).contains("fault"));
    CHECK(unscheduled() == 1);
    CHECK(!fixture
               .call(
                   "system.scheduleApplyErrata",
                   {fixture.key, numbers({1, 4}), numbers({erratum}), now()})
               .contains("fault"));
    const auto result = fixture.call("schedule.listInProgressActions", {fixture.key});
    CHECK(result.contains("Patch Update"));
    CHECK(fixture.call("system.scheduleApplyErrata", {fixture.key, number(2), numbers({erratum})})
              .contains("fault"));
    const auto installed = fixture.call(
        "system.schedulePackageInstall",
        {fixture.key, number(1), numbers({fixture.newest()}), now()});
    CHECK(!installed.contains("fault"));
    CHECK(!installed.contains("<array>"));
}

TEST_CASE("systems that are behind their channels are listed with how far they are") {
    shop_site fixture;
    const auto response = fixture.call("system.listOutOfDateSystems", {fixture.key});
    CHECK(count(response, "<struct>") == 2);
    CHECK(response.contains(named("name", "web1")));
    CHECK(count(response, "<name>outdated_pkg_count</name><value><i4>1</i4>") == 2);
    fixture.add_user("far", {{.role = "viewer", .zone = "far"}});
    const auto far = fixture.call("system.listOutOfDateSystems", {fixture.log_in("far")});
    CHECK(count(far, "<struct>") == 1);
    CHECK(far.contains(named("name", "far4")));
}

TEST_CASE("channels that are brought up by themselves are listed with when") {
    shop_site fixture;
    CHECK(!fixture.call("taskomatic.org.listActiveSchedules", {fixture.key}).contains("<struct>"));
    fixture.call("channel.software.syncRepo", {fixture.key, text("shop"), text("0 30 3 ? * 2")});
    const auto response = fixture.call("taskomatic.org.listActiveSchedules", {fixture.key});
    CHECK(response.contains(named("cron_expr", "0 30 3 ? * 2")));
    const auto number = fixture.software.store.find<content::channel>("shop")->number();
    CHECK(response.contains(named("channel_id", std::to_string(number))));
}

TEST_CASE("packages and errata are steps of a chain") {
    shop_site fixture;
    const auto erratum = fixture.software.store.find<content::erratum>("SHOP-1")->row.number;
    const auto chain = text("nightly");
    fixture.call("actionchain.createChain", {fixture.key, chain});
    for (const char* const method : {"addPackageInstall", "addPackageUpgrade", "addPackageRemoval"})
        CHECK(!fixture
                   .call(
                       std::string("actionchain.") + method,
                       {fixture.key, number(1), numbers({fixture.newest()}), chain})
                   .contains("fault"));
    CHECK(!fixture
               .call(
                   "actionchain.addErrataUpdate",
                   {fixture.key, numbers({1, 4}), numbers({erratum}), chain})
               .contains("fault"));
    CHECK(
        fixture
            .call(
                "actionchain.addErrataUpdate", {fixture.key, number(2), numbers({erratum}), chain})
            .contains("none of these errata"));
    CHECK(
        fixture
            .call("actionchain.addPackageInstall", {fixture.key, number(1), numbers({999}), chain})
            .contains(fault_code(2300)));
    const auto verifying = fixture.call(
        "actionchain.addPackageVerify",
        {fixture.key, number(1), numbers({fixture.newest()}), chain});
    CHECK(verifying.contains(fault_code(1213)));
    CHECK(verifying.contains("not supported for salt minions"));
    CHECK(
        count(fixture.call("actionchain.listChainActions", {fixture.key, chain}), "<struct>") == 5);
    CHECK(
        !fixture.call("actionchain.scheduleChain", {fixture.key, chain, now()}).contains("fault"));
    // They do different things, so they are two jobs.
    CHECK(count(fixture.call("schedule.listInProgressActions", {fixture.key}), "<struct>") == 2);
}

}  // namespace
}  // namespace muster::xmlrpc_api
