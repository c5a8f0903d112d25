// What channels hold is not reached by labels and expressions that somebody of one zone chose.

#include "api/rest/configuration_api.h"
#include "api/rest/rules_api.h"
#include "api/rest/systems_api.h"
#include "tests/fixtures/api/compat_values.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;

// A group by label and one by expression, each with a channel that holds a secret; nobody is in
// the first, and whoever has the tag `vault` in the second.
struct vault {
    xmlrpc_fixture site;
    std::string admin = site.log_in();

    vault() {
        for (const char* name : {"labelled", "expressed"}) {
            site.call("configchannel.create", {admin, text(name), text(name), text("")});
            site.call(
                "configchannel.createOrUpdatePath",
                {admin,
                 text(name),
                 text(std::string("/etc/") + name),
                 flag(false),
                 structure({{"contents", text("s3cret")}, {"permissions", text("600")}})});
        }
        site.call("systemgroup.create", {admin, text("safe"), text("")});
        site.call("systemgroup.subscribeConfigChannel", {admin, text("safe"), texts({"labelled"})});
        fleet::saved_group tagged{.name = "tagged", .definition = "tag:vault"};
        REQUIRE(run_sync(
                    site.groups.put(std::move(tagged), fleet::group_store::existing_policy::refuse))
                    .has_value());
        site.call(
            "systemgroup.subscribeConfigChannel", {admin, text("tagged"), texts({"expressed"})});
        site.add_user("far", {{.role = "admin", .zone = "far"}});
    }

    void tag_far() {
        auto far4 = *site.known.find(system_number(4));
        far4.tags = {"vault"};
        ++far4.version;
        site.add({far4});
    }
    std::string look(const std::string& as, const char* path) {
        return site.call(
            "system.config.lookupFileInfo", {as, number(4), texts({path}), flag(true)});
    }
};

TEST_CASE("who looks at one zone puts no system into a group with channels, and others may") {
    vault fixture;
    const auto far = fixture.site.log_in("far");
    const auto add = [&](const std::string& as, const char* group) {
        return fixture.site.call(
            "systemgroup.addOrRemoveSystems", {as, text(group), numbers({4}), flag(true)});
    };
    fixture.site.call("systemgroup.create", {fixture.admin, text("plain"), text("")});

    CHECK(add(far, "plain").contains(done));
    CHECK(add(far, "safe").contains("configuration channels"));
    CHECK(fixture.look(far, "/etc/labelled").contains("<data></data>"));
    CHECK(add(fixture.admin, "safe").contains(done));
    CHECK(fixture.look(far, "/etc/labelled").contains("s3cret"));
}

TEST_CASE("who looks at one zone neither reads nor writes what comes by a group's expression") {
    vault fixture;
    const auto far = fixture.site.log_in("far");
    fixture.tag_far();

    CHECK(fixture.look(fixture.admin, "/etc/expressed").contains("s3cret"));
    const auto refused = fixture.look(far, "/etc/expressed");
    CHECK(!refused.contains("s3cret"));
    CHECK(refused.contains("through the expression of group \"tagged\""));
    const auto when = "<dateTime.iso8601>20200101T00:00:00</dateTime.iso8601>";
    CHECK(fixture.site.call("system.config.deployAll", {far, numbers({4}), when})
              .contains("through the expression of group \"tagged\""));
    CHECK(fixture.site.call("system.config.deployAll", {fixture.admin, numbers({4}), when})
              .contains(done));
    CHECK(fixture.site
              .call(
                  "configchannel.scheduleFileComparisons",
                  {far, text("expressed"), text("/etc/expressed"), numbers({4})})
              .contains("fault"));
}

// The native operation beside the compatible methods.
struct native {
    vault base;
    configuration::deployment deployed{
        {.channels = base.site.configuration.channels,
         .files = base.site.configuration.files,
         .profiles = base.site.configuration.profiles,
         .systems = base.site.targets}};
    api::configuration_api api{
        {.deployment = deployed,
         .targets = base.site.targets,
         .operations = base.site.checks,
         .clock = base.site.clock}};

    api::group_label_policy guard{base.site.configuration.channels};
    fleet::bulk_operation_queue running{base.site.clock};
    api::systems_api systems{
        {.systems = base.site.known,
         .keys = base.site.keys,
         .operations = running,
         .presence = base.site.seen,
         .topology = base.site.places,
         .clock = base.site.clock,
         .search = base.site.found,
         .groups = base.site.groups,
         .label_policy = &guard}};
    api::rules_api rules{base.site.rules, base.site.clock, &guard};

    native() {
        REQUIRE(api.declare(base.site.checks).has_value());
        REQUIRE(systems.declare(base.site.checks).has_value());
        REQUIRE(rules.declare(base.site.checks).has_value());
    }

    result<api::reply> ask(const char* name, const char* zone, api::value::record record) {
        const auto* const entry = base.site.checks.find(name);
        REQUIRE(entry != nullptr);
        api::caller caller{people::identity{.user = "ada"}, base.site.api_context, "192.0.2.7"};
        caller.may =
            access::permissions({{.role = "admin", .zone = zone}}, access::built_in_roles());
        api::call call(entry->operation, std::move(caller), api::value(std::move(record)));
        return run_sync(base.site.checks.perform(*entry, std::move(call)));
    }
};

TEST_CASE("a deployment makes a job for each set of files, and says who has none") {
    native fixture;
    fixture.base.tag_far();
    fixture.base.site.call(
        "systemgroup.addOrRemoveSystems",
        {fixture.base.admin, text("safe"), numbers({1, 2}), flag(true)});

    const auto foreseen =
        fixture.ask("configuration.preview", "", {{"query", "*"}, {"by_expression", true}});
    REQUIRE(foreseen.has_value());
    CHECK(foreseen->content.at("left_out") == 0);
    CHECK(foreseen->content.at("targets") == 3);
    CHECK(foreseen->content.at("without_files") == 1);
    CHECK(foreseen->content.at("parts").as_array().size() == 2);
    const auto result = fixture.ask(
        "configuration.deploy",
        "",
        {{"query", "*"}, {"note", "patch night"}, {"by_expression", true}});
    REQUIRE(result.has_value());
    const auto& jobs = result->content.at("jobs").as_array();
    REQUIRE(jobs.size() == 2);
    CHECK(result->content.at("job") == jobs.front().at("id"));
    CHECK(
        jobs.at(0).at("targets").to_number<int>() + jobs.at(1).at("targets").to_number<int>() == 3);
    const auto id = parse_job_id(boost::json::value_to<std::string>(jobs.front().at("id")));
    const auto stored = run_sync(fixture.base.site.job_records.find(id.value())).value();
    CHECK(stored.record.spec.function == "files.deploy");
    CHECK(stored.record.spec.note == "patch night");
}

TEST_CASE("a tag that somebody of one zone chose has no secret written when all are deployed to") {
    native fixture;
    fixture.base.tag_far();

    const auto foreseen = fixture.ask("configuration.preview", "", {{"query", "*"}});
    REQUIRE(foreseen.has_value());
    CHECK(foreseen->content.at("targets") == 0);
    CHECK(foreseen->content.at("left_out") == 1);
    const auto refused = fixture.ask("configuration.deploy", "", {{"query", "*"}});
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("by_expression"));
    CHECK(fixture.base.site
              .call("configchannel.deployAllSystems", {fixture.base.admin, text("expressed")})
              .contains("expression"));
    fixture.base.site.call(
        "systemgroup.addOrRemoveSystems",
        {fixture.base.admin, text("safe"), numbers({1}), flag(true)});
    const auto result = fixture.ask("configuration.deploy", "", {{"query", "*"}});
    REQUIRE(result.has_value());
    CHECK(result->content.at("targets") == 1);
    CHECK(result->content.at("left_out") == 1);
}

TEST_CASE("a deployment refuses what its author does not reach, and who has no files") {
    native fixture;
    fixture.base.tag_far();

    const auto refused = fixture.ask("configuration.deploy", "far", {{"query", "*"}});
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code() == errc::denied);
    const auto nobody = fixture.ask("configuration.deploy", "", {{"query", "name:db3"}});
    REQUIRE(!nobody.has_value());
    CHECK(nobody.error().code() == errc::conflict);
    const auto other =
        fixture.ask("configuration.deploy", "", {{"query", "*"}, {"channel", "labelled"}});
    REQUIRE(!other.has_value());
    CHECK(other.error().code() == errc::conflict);
}

TEST_CASE("no operation of the native API gives a system the label of a group with channels") {
    native fixture;
    const api::value safe(api::value::list{api::value("safe")});
    const api::value plain(api::value::list{api::value("plain")});
    const auto refused = [&](const char* name, api::value::record record) {
        CAPTURE(name);
        const auto answer = fixture.ask(name, "far", std::move(record));
        REQUIRE(!answer.has_value());
        CHECK(answer.error().code() == errc::denied);
        CHECK(answer.error().detail().contains("group \"safe\" has configuration channels"));
    };

    refused("systems.label", {{"query", "*"}, {"groups", safe}});
    refused("keys.label", {{"query", "*"}, {"groups", safe}});
    refused("keys.accept", {{"query", "*"}, {"zone", "far"}, {"groups", safe}});
    refused("enrolment-tokens.create", {{"zone", "far"}, {"groups", safe}});
    CHECK(fixture.ask("enrolment-tokens.create", "far", {{"zone", "far"}, {"groups", plain}})
              .has_value());
    CHECK(fixture.ask("enrolment-tokens.create", "", {{"zone", "far"}, {"groups", safe}})
              .has_value());
}

}  // namespace
}  // namespace muster::xmlrpc_api
