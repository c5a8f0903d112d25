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
        for (const char* each : {"labelled", "expressed"}) {
            site.call("configchannel.create", {admin, text(each), text(each), text("")});
            site.call(
                "configchannel.createOrUpdatePath",
                {admin,
                 text(each),
                 text(std::string("/etc/") + each),
                 flag(false),
                 structure({{"contents", text("s3cret")}, {"permissions", text("600")}})});
        }
        site.call("systemgroup.create", {admin, text("safe"), text("")});
        site.call("systemgroup.subscribeConfigChannel", {admin, text("safe"), texts({"labelled"})});
        fleet::saved_group tagged{.name = "tagged", .definition = "tag:vault"};
        REQUIRE(run_sync(site.groups.put(std::move(tagged), fleet::group_store::existing::refuse))
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
    vault here;
    const auto far = here.site.log_in("far");
    const auto add = [&](const std::string& as, const char* group) {
        return here.site.call(
            "systemgroup.addOrRemoveSystems", {as, text(group), numbers({4}), flag(true)});
    };
    here.site.call("systemgroup.create", {here.admin, text("plain"), text("")});

    CHECK(add(far, "plain").contains(done));
    CHECK(add(far, "safe").contains("configuration channels"));
    CHECK(here.look(far, "/etc/labelled").contains("<data></data>"));
    CHECK(add(here.admin, "safe").contains(done));
    CHECK(here.look(far, "/etc/labelled").contains("s3cret"));
}

TEST_CASE("who looks at one zone neither reads nor writes what comes by a group's expression") {
    vault here;
    const auto far = here.site.log_in("far");
    here.tag_far();

    CHECK(here.look(here.admin, "/etc/expressed").contains("s3cret"));
    const auto refused = here.look(far, "/etc/expressed");
    CHECK(!refused.contains("s3cret"));
    CHECK(refused.contains("expression of the group tagged"));
    const auto when = "<dateTime.iso8601>20200101T00:00:00</dateTime.iso8601>";
    CHECK(here.site.call("system.config.deployAll", {far, numbers({4}), when})
              .contains("expression of the group tagged"));
    CHECK(
        here.site.call("system.config.deployAll", {here.admin, numbers({4}), when}).contains(done));
    CHECK(here.site
              .call(
                  "configchannel.scheduleFileComparisons",
                  {far, text("expressed"), text("/etc/expressed"), numbers({4})})
              .contains("fault"));
}

// The native operation beside the compatible methods.
struct native {
    vault here;
    configuration::deployment deployed{
        {.channels = here.site.configuration.channels,
         .files = here.site.configuration.files,
         .profiles = here.site.configuration.profiles,
         .systems = here.site.targets}};
    api::configuration_api api{
        {.deployed = deployed,
         .targets = here.site.targets,
         .operations = here.site.checks,
         .clock = here.site.clock}};

    api::group_guard guard{here.site.configuration.channels};
    fleet::bulk_operation_queue running{here.site.clock};
    api::systems_api systems{
        {.systems = here.site.known,
         .keys = here.site.keys,
         .running = running,
         .presence = here.site.seen,
         .topology = here.site.places,
         .clock = here.site.clock,
         .search = here.site.found,
         .groups = here.site.groups,
         .guard = &guard}};
    api::rules_api rules{here.site.rules, here.site.clock, &guard};

    native() {
        REQUIRE(api.declare(here.site.checks).has_value());
        REQUIRE(systems.declare(here.site.checks).has_value());
        REQUIRE(rules.declare(here.site.checks).has_value());
    }

    result<api::reply> ask(const char* name, const char* zone, api::value::record record) {
        const auto* const what = here.site.checks.find(name);
        REQUIRE(what != nullptr);
        api::caller caller{people::identity{.user = "ada"}, here.site.api_context, "192.0.2.7"};
        caller.may =
            access::permissions({{.role = "admin", .zone = zone}}, access::built_in_roles());
        api::call call(what->what, std::move(caller), api::value(std::move(record)));
        return run_sync(here.site.checks.perform(*what, std::move(call)));
    }
};

TEST_CASE("a deployment makes a job for each set of files, and says who has none") {
    native on;
    on.here.tag_far();
    on.here.site.call(
        "systemgroup.addOrRemoveSystems",
        {on.here.admin, text("safe"), numbers({1, 2}), flag(true)});

    const auto foreseen =
        on.ask("configuration.preview", "", {{"query", "*"}, {"by_expression", true}});
    REQUIRE(foreseen.has_value());
    CHECK(foreseen->content.at("left_out") == 0);
    CHECK(foreseen->content.at("targets") == 3);
    CHECK(foreseen->content.at("without_files") == 1);
    CHECK(foreseen->content.at("parts").as_array().size() == 2);
    const auto result = on.ask(
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
    const auto stored = run_sync(on.here.site.job_records.find(id.value())).value();
    CHECK(stored.record.spec.function == "files.deploy");
    CHECK(stored.record.spec.note == "patch night");
}

TEST_CASE("a tag that somebody of one zone chose has no secret written when all are deployed to") {
    native on;
    on.here.tag_far();

    const auto foreseen = on.ask("configuration.preview", "", {{"query", "*"}});
    REQUIRE(foreseen.has_value());
    CHECK(foreseen->content.at("targets") == 0);
    CHECK(foreseen->content.at("left_out") == 1);
    const auto refused = on.ask("configuration.deploy", "", {{"query", "*"}});
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("by_expression"));
    CHECK(on.here.site.call("configchannel.deployAllSystems", {on.here.admin, text("expressed")})
              .contains("expression"));
    on.here.site.call(
        "systemgroup.addOrRemoveSystems", {on.here.admin, text("safe"), numbers({1}), flag(true)});
    const auto result = on.ask("configuration.deploy", "", {{"query", "*"}});
    REQUIRE(result.has_value());
    CHECK(result->content.at("targets") == 1);
    CHECK(result->content.at("left_out") == 1);
}

TEST_CASE("a deployment refuses what its author does not reach, and who has no files") {
    native on;
    on.here.tag_far();

    const auto refused = on.ask("configuration.deploy", "far", {{"query", "*"}});
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code() == errc::denied);
    const auto nobody = on.ask("configuration.deploy", "", {{"query", "name:db3"}});
    REQUIRE(!nobody.has_value());
    CHECK(nobody.error().code() == errc::conflict);
    const auto other =
        on.ask("configuration.deploy", "", {{"query", "*"}, {"channel", "labelled"}});
    REQUIRE(!other.has_value());
    CHECK(other.error().code() == errc::conflict);
}

TEST_CASE("no operation of the native API gives a system the label of a group with channels") {
    native on;
    const api::value safe(api::value::list{api::value("safe")});
    const api::value plain(api::value::list{api::value("plain")});
    const auto refused = [&](const char* name, api::value::record record) {
        CAPTURE(name);
        const auto answer = on.ask(name, "far", std::move(record));
        REQUIRE(!answer.has_value());
        CHECK(answer.error().code() == errc::denied);
        CHECK(answer.error().detail().contains("the group safe has configuration channels"));
    };

    refused("systems.label", {{"query", "*"}, {"groups", safe}});
    refused("keys.label", {{"query", "*"}, {"groups", safe}});
    refused("keys.accept", {{"query", "*"}, {"zone", "far"}, {"groups", safe}});
    refused("enrolment-tokens.add", {{"zone", "far"}, {"groups", safe}});
    CHECK(on.ask("enrolment-tokens.add", "far", {{"zone", "far"}, {"groups", plain}}).has_value());
    CHECK(on.ask("enrolment-tokens.add", "", {{"zone", "far"}, {"groups", safe}}).has_value());
}

}  // namespace
}  // namespace muster::xmlrpc_api
