#include "api/xmlrpc/methods/migration_methods.h"

#include "tests/fixtures/api/actions_fixture.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;

// web1 and far4 have the channel of leap 15; there is one of leap 16 with a child, and one for
// another architecture.
struct migrating_site : actions_fixture {
    migrating_site() {
        make("leap15", "x86_64", "");
        make("leap16", "x86_64", "");
        make("leap16-updates", "x86_64", "leap16");
        make("leap16-arm", "aarch64", "");
        for (const int each : {1, 4})
            REQUIRE(call("system.setBaseChannel", {key, number(each), text("leap15")})
                        .contains("<i4>1</i4>"));
    }
    void make(const std::string& label, const std::string& arch, const std::string& parent) {
        const auto response = call(
            "channel.software.create",
            {key,
             text(label),
             text(label + " by name"),
             text(""),
             text("channel-" + arch),
             text(parent)});
        REQUIRE(response.contains("<i4>1</i4>"));
    }
    std::string base_of(std::int64_t system) const {
        return software.store.subscription_of(system_number(system))->base;
    }
    std::string ident_of(const std::string& label) const {
        return "[" + std::to_string(software.store.find<content::channel>(label)->number()) + "]";
    }
    std::string arguments_of(std::int64_t action) {
        return run_sync(job_records.find(job_of(action))).value().record.spec.arguments;
    }
    std::string migrate(
        const std::string& base, const std::vector<std::string>& children, bool dry) {
        return call(
            "system.scheduleProductMigration",
            {key, number(1), text(base), texts(children), flag(dry), long_ago});
    }
};

TEST_CASE("a system can go over to the other base channels of its architecture") {
    migrating_site fixture;
    const auto response = fixture.call("system.listMigrationTargets", {fixture.key, number(1)});
    CHECK(count(response, "<struct>") == 1);
    CHECK(response.contains(
        "<name>ident</name><value><string>" + fixture.ident_of("leap16") + "</string>"));
    CHECK(response.contains("<name>friendly</name><value><string>leap16 by name</string>"));
    const auto excluding =
        fixture.call("system.listMigrationTargets", {fixture.key, number(1), flag(true)});
    CHECK(excluding == response);
    // Without a channel, every one would do.
    CHECK(
        count(fixture.call("system.listMigrationTargets", {fixture.key, number(2)}), "<struct>")
        == 3);
}

TEST_CASE("a migration gives a system its channels and its agent the change of distribution") {
    migrating_site fixture;
    const auto action = response_number(fixture.migrate("leap16", {"leap16-updates"}, false));
    CHECK(fixture.base_of(1) == "leap16");
    CHECK(fixture.arguments_of(action) == R"({"action":"distribution"})");
    CHECK(fixture.call("schedule.listInProgressActions", {fixture.key})
              .contains("Product Migration of web1 to leap16"));
    CHECK(fixture.call("system.listSubscribedChildChannels", {fixture.key, number(1)})
              .contains("leap16-updates"));
}

TEST_CASE("a dry run of a migration changes no channels, and has its agent only look") {
    migrating_site fixture;
    const auto action = response_number(fixture.migrate("leap16", {}, true));
    CHECK(fixture.base_of(1) == "leap15");
    CHECK(fixture.arguments_of(action) == R"({"action":"distribution","test":true})");
    CHECK(fixture.call("schedule.listInProgressActions", {fixture.key})
              .contains("(dry run): 0 newer packages in the target"));
}

TEST_CASE("all forms of a migration are told apart, and say the same") {
    migrating_site fixture;
    const auto ident = text(fixture.ident_of("leap16"));
    const std::vector<std::vector<std::string>> forms{
        {text("leap16"), texts({}), flag(true), flag(true), long_ago},
        {ident, text("leap16"), texts({}), flag(true), long_ago},
        {ident, text("leap16"), texts({}), flag(true), flag(true), long_ago},
        {text(""), text("leap16"), texts({}), flag(true), flag(true), flag(true), long_ago}};
    for (const auto& form : forms) {
        std::vector<std::string> all{fixture.key, number(1)};
        all.insert(all.end(), form.begin(), form.end());
        const auto action = response_number(fixture.call("system.scheduleProductMigration", all));
        CHECK(fixture.arguments_of(action).contains(R"("test":true)"));
        CHECK(fixture.arguments_of(action).contains("change_vendors") == (&form != &forms[1]));
    }
}

TEST_CASE("what is no target of a migration is refused before anything is changed") {
    migrating_site fixture;
    const auto refused = [&](const std::string& response, const char* why) {
        INFO(response);
        CHECK(response.contains(fault_code(-1)));
        CHECK(response.contains(why));
    };
    refused(fixture.migrate("leap15", {}, false), "No target found");
    refused(fixture.migrate("leap16-arm", {}, false), "No target found");
    refused(fixture.migrate("leap16-updates", {}, false), "No base channel given");
    refused(fixture.migrate("leap16", {"leap15"}, false), "incompatible base channel");
    CHECK(fixture.migrate("nowhere", {}, false).contains("fault"));
    const auto other = fixture.call(
        "system.scheduleProductMigration",
        {fixture.key, number(1), text("[7]"), text("leap16"), texts({}), flag(false), long_ago});
    refused(other, "No target found");
    fixture.call("system.setLockStatus", {fixture.key, number(1), flag(true)});
    CHECK(fixture.migrate("leap16", {}, false).contains("is locked"));
    CHECK(fixture.base_of(1) == "leap15");
    CHECK(fixture.listed("listAllActions") == 0);
}

TEST_CASE("channels are there for all organizations, and cannot be otherwise") {
    migrating_site fixture;
    CHECK(fixture.call("channel.access.getOrgSharing", {fixture.key, text("leap16")})
              .contains("public"));
    CHECK(
        fixture.call("channel.access.setOrgSharing", {fixture.key, text("leap16"), text("private")})
            .contains("all organizations"));
    CHECK(fixture.call("channel.org.list", {fixture.key, text("leap16")})
              .contains("<name>access_enabled</name><value><boolean>1</boolean>"));
    CHECK(fixture.call("channel.org.enableAccess", {fixture.key, text("leap16"), number(1)})
              .contains("<i4>1</i4>"));
    CHECK(fixture.call("channel.org.disableAccess", {fixture.key, text("leap16"), number(1)})
              .contains("all organizations"));
}

}  // namespace
}  // namespace muster::xmlrpc_api
