#include "api/xmlrpc/methods/chain_config_methods.h"

#include "tests/fixtures/api/actions_fixture.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;

std::string revision(const std::string& channel, const std::string& path, std::int64_t index) {
    return "<array><data><value>"
           + record(
               {{"channelLabel", text(channel)},
                {"filePath", text(path)},
                {"revision", number(index)}})
           + "</value></data></array>";
}

// A chain, and a channel with a file in two revisions.
struct chained_site : actions_fixture {
    std::string nightly = text("nightly");

    chained_site() {
        call("actionchain.createChain", {key, nightly});
        call("configchannel.create", {key, text("base"), text("Base"), text("")});
        put("first");
        put("second");
    }
    void put(const std::string& contents) {
        const auto response = call(
            "configchannel.createOrUpdatePath",
            {key,
             text("base"),
             text("/etc/motd"),
             flag(false),
             record({{"contents", text(contents)}})});
        REQUIRE(!response.contains("fault"));
    }
    std::string deploy(const std::string& as, std::int64_t system, const std::string& name) {
        return call("actionchain.addConfigurationDeployment", {as, nightly, number(system), name});
    }
    std::string arguments_of_chain() {
        const auto first = call("actionchain.listChainActions", {key, nightly});
        const auto action = response_number(first);
        REQUIRE(response_number(call("actionchain.scheduleChain", {key, nightly, long_ago})) == 1);
        return run_sync(job_records.find(job_of(action))).value().record.spec.arguments;
    }
};

TEST_CASE("a chain writes the revision of a file that was asked for") {
    chained_site fixture;
    CHECK(
        fixture.deploy(fixture.key, 1, revision("base", "/etc/motd", 3)).contains("no revision 3"));
    CHECK(fixture.deploy(fixture.key, 1, revision("base", "/etc/no", 1)).contains("fault"));
    CHECK(fixture.deploy(fixture.key, 1, "<array><data/></array>").contains(fault_code(1213)));
    CHECK(fixture.deploy(fixture.key, 99, revision("base", "/etc/motd", 1))
              .contains("No such system"));

    CHECK(response_number(fixture.deploy(fixture.key, 1, revision("base", "/etc/motd", 1))) == 1);

    const auto arguments = fixture.arguments_of_chain();
    CHECK(arguments.contains("files.deploy"));
    CHECK(arguments.contains("first"));
    CHECK(!arguments.contains("second"));
}

TEST_CASE("applying all in a chain writes the files that a system has") {
    chained_site fixture;
    const auto none =
        fixture.call("actionchain.addApplyHighstate", {fixture.key, number(2), fixture.nightly});
    CHECK(none.contains(fault_code(1213)));
    CHECK(none.contains("no configuration files"));
    fixture.call(
        "system.config.addChannels", {fixture.key, numbers({2}), texts({"base"}), flag(true)});

    response_number(
        fixture.call("actionchain.addApplyHighstate", {fixture.key, number(2), fixture.nightly}));

    CHECK(fixture.call("actionchain.listChainActions", {fixture.key, fixture.nightly})
              .contains("Apply highstate on web2"));
    CHECK(fixture.arguments_of_chain().contains("second"));
}

TEST_CASE("who sees one zone writes with a chain what a system there has, as it is now") {
    chained_site fixture;
    fixture.call(
        "system.config.addChannels", {fixture.key, numbers({4}), texts({"base"}), flag(true)});
    fixture.call("configchannel.create", {fixture.key, text("secret"), text("Secret"), text("")});
    fixture.call(
        "configchannel.createOrUpdatePath",
        {fixture.key,
         text("secret"),
         text("/etc/key"),
         flag(false),
         record({{"contents", text("hidden")}})});
    fixture.add_user("far", {{.role = "admin", .zone = "far"}});
    const auto far = fixture.log_in("far");
    fixture.call("actionchain.createChain", {far, fixture.nightly});
    const auto whole = "fleet.read in the whole cluster";

    CHECK(fixture.deploy(far, 4, revision("secret", "/etc/key", 1)).contains(whole));
    CHECK(fixture.deploy(far, 4, revision("base", "/etc/motd", 1)).contains(whole));
    CHECK(fixture.deploy(far, 1, revision("base", "/etc/motd", 2)).contains("No such system"));
    CHECK(response_number(fixture.deploy(far, 4, revision("base", "/etc/motd", 2))) == 1);
}

}  // namespace
}  // namespace muster::xmlrpc_api
