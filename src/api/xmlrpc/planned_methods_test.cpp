#include "adapters/pki/base64.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "services/jobs/job_idempotency_store.h"
#include "tests/fixtures/api/actions_fixture.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;

TEST_CASE("a chain is put together, becomes a job, and its steps are known by their numbers") {
    actions_fixture fixture;
    const auto nightly = text("nightly");
    const auto script = text(pki::to_base64("echo one"));
    const auto add_script = [&](std::int64_t system) {
        return response_number(fixture.call(
            "actionchain.addScriptRun",
            {fixture.key,
             number(system),
             nightly,
             text("first"),
             text("root"),
             text(""),
             number(30),
             script}));
    };
    response_number(fixture.call("actionchain.createChain", {fixture.key, nightly}));
    CHECK(
        fixture.call("actionchain.createChain", {fixture.key, nightly}).contains(fault_code(2801)));
    const auto empty = fixture.call("actionchain.scheduleChain", {fixture.key, nightly, long_ago});
    CHECK(empty.contains(fault_code(10004)));
    const auto one = add_script(1);
    add_script(2);
    const auto reboot = response_number(
        fixture.call("actionchain.addSystemReboot", {fixture.key, number(1), nightly}));
    response_number(fixture.call("actionchain.addSystemReboot", {fixture.key, number(2), nightly}));
    const auto extra = response_number(
        fixture.call("actionchain.addSystemReboot", {fixture.key, number(2), nightly}));
    CHECK(fixture.call("actionchain.listChains", {fixture.key})
              .contains("<name>entrycount</name><value><i4>5</i4>"));
    CHECK(fixture.call("actionchain.removeAction", {fixture.key, nightly, number(extra)})
              .contains("<i4>1</i4>"));
    CHECK(fixture.call("actionchain.removeAction", {fixture.key, nightly, number(extra)})
              .contains(fault_code(2700)));
    CHECK(
        count(fixture.call("actionchain.listChainActions", {fixture.key, nightly}), "<struct>")
        == 4);
    CHECK(fixture.call("actionchain.addSystemReboot", {fixture.key, number(1), text("other")})
              .contains("action chain \"other\" not found"));
    CHECK(fixture
              .call(
                  "actionchain.addScriptRun",
                  {fixture.key,
                   number(1),
                   nightly,
                   text(""),
                   text(""),
                   number(0),
                   text("no base 64!")})
              .contains("Base64"));

    CHECK(fixture.call("actionchain.scheduleChain", {fixture.key, nightly, long_ago})
              .contains("<i4>1</i4>"));
    CHECK(count(fixture.call("actionchain.listChains", {fixture.key}), "<struct>") == 0);
    // Both systems do the same, so it is one job.
    CHECK(fixture.listed("listAllActions") == 1);
    const auto job = run_sync(fixture.job_records.find(fixture.job_of(one))).value().record;
    CHECK(job.spec.function == "chain.run");
    CHECK(job.targets == 2);
    CHECK(fixture.job_of(reboot) == job.job);
    fixture.end(
        one,
        1,
        task_state::completed,
        R"({"steps":[{"exit_code":0,"output":{"stdout":"one"}},{"exit_code":0}]})");
    CHECK(fixture.systems_of("listCompletedSystems", one) == 1);
    CHECK(fixture.call("system.getScriptResults", {fixture.key, number(one)})
              .contains("<string>one</string>"));
    // Each user has chains of their own.
    response_number(fixture.call("actionchain.createChain", {fixture.key, text("mine")}));
    CHECK(fixture.call("actionchain.renameChain", {fixture.key, text("mine"), text("ours")})
              .contains("<i4>1</i4>"));
    fixture.add_user("ada", {{.role = "operator", .zone = ""}});
    const auto ada = fixture.log_in("ada");
    CHECK(count(fixture.call("actionchain.listChains", {ada}), "<struct>") == 0);
    CHECK(fixture.call("actionchain.deleteChain", {ada, text("ours")}).contains(fault_code(2700)));
    CHECK(fixture.call("actionchain.deleteChain", {fixture.key, text("ours")})
              .contains("<i4>1</i4>"));
}

TEST_CASE("an attempt to schedule a chain that made nothing is in the way of no other") {
    actions_fixture fixture;
    const auto nightly = text("nightly");
    response_number(fixture.call("actionchain.createChain", {fixture.key, nightly}));
    response_number(fixture.call("actionchain.addSystemReboot", {fixture.key, number(1), nightly}));
    // As a server leaves it whose ledger failed after the claim.
    compatibility::action_chain_store chains(*fixture.records, fixture.clock);
    const auto with = [&](bool scheduling) {
        return run_sync(chains.change(
                            "admin",
                            "nightly",
                            [scheduling](compatibility::action_chain chain) {
                                chain.scheduling = scheduling;
                                return result<compatibility::action_chain>(std::move(chain));
                            }))
            .value();
    };
    jobs::job_idempotency_store claims(*fixture.store, fixture.clock);
    const auto failed = chain_idempotency_key(with(true), 1);
    REQUIRE(run_sync(claims.reserve({.user = "admin", .key = failed, .digest = "for tonight"}))
                .has_value());
    with(false);

    const auto again = fixture.call("actionchain.scheduleChain", {fixture.key, nightly, long_ago});

    CHECK(response_number(again) == 1);
    CHECK(fixture.listed("listAllActions") == 1);
}

TEST_CASE("a recurring action is a schedule for a system, a group or all") {
    actions_fixture fixture;
    const auto shop =
        response_number(fixture.call("systemgroup.create", {fixture.key, text("shop"), text("")}));
    CHECK(fixture.call("systemgroup.getDetails", {fixture.key, number(shop)})
              .contains("<string>shop</string>"));
    CHECK(fixture.call("systemgroup.getDetails", {fixture.key, number(99)})
              .contains(fault_code(2201)));
    const auto create = [&](const std::string& name, const std::string& type, std::int64_t id) {
        return fixture.call(
            "recurring.custom.create",
            {fixture.key,
             record(
                 {{"entity_type", text(type)},
                  {"entity_id", number(id)},
                  {"name", text(name)},
                  {"cron_expr", text("0 30 3 ? * 2")},
                  {"states", texts({"hardware.profileupdate", "reboot"})},
                  {"test", flag(false)}})});
    };
    const auto weekly = response_number(create("weekly", "group", shop));
    response_number(create("one", "minion", 2));
    response_number(create("all", "org", 1));
    CHECK(create("weekly", "org", 1).contains("fault"));
    CHECK(create("none", "group", 99).contains("system group \"99\" not found"));
    const auto stored = fixture.windows.current()->schedules.at("weekly").stored;
    CHECK(stored.query == "group:shop");
    CHECK(stored.timing.cron == "30 3 * * 1");
    CHECK(stored.function == "chain.run");
    const auto response = fixture.call("recurring.lookupById", {fixture.key, number(weekly)});
    CHECK(response.contains("0 30 3 ? * 2"));
    CHECK(response.contains("<name>entity_id</name><value><i4>" + std::to_string(shop) + "</i4>"));
    CHECK(response.contains("<string>reboot</string>"));
    const auto created = [&](const std::string& from) {
        const auto at = from.find("<name>created</name>");
        REQUIRE(at != std::string::npos);
        return from.substr(at, from.find("</member>", at) - at);
    };
    const auto later = fixture.clock.wall() + std::chrono::hours(24);
    REQUIRE(run_sync(fixture.windows.put_considered("weekly", later, "node7")).value());
    const auto after_run = fixture.call("recurring.lookupById", {fixture.key, number(weekly)});
    CHECK(after_run.contains("<name>creator</name><value><string>admin</string>"));
    CHECK(created(after_run) == created(response));
    const auto listed =
        fixture.call("recurring.listByEntity", {fixture.key, text("minion"), number(2)});
    CHECK(count(listed, "<struct>") == 1);
    const auto changed = fixture.call(
        "recurring.custom.update",
        {fixture.key,
         record(
             {{"id", number(weekly)},
              {"active", flag(false)},
              {"cron_expr", text("0 0 4 * * ?")}})});
    CHECK(response_number(changed) == weekly);
    CHECK(!fixture.windows.current()->schedules.at("weekly").stored.active);
    CHECK(fixture.call("recurring.delete", {fixture.key, number(weekly)}).contains("<i4>1</i4>"));
    CHECK(fixture.call("recurring.lookupById", {fixture.key, number(weekly)})
              .contains("recurring action \"" + std::to_string(weekly) + "\" not found"));
    CHECK(fixture.call("recurring.custom.listAvailable", {fixture.key})
              .contains("hardware.profileupdate"));
}

TEST_CASE("a recurring highstate brings systems to their configuration, or only compares") {
    actions_fixture fixture;
    const auto shop =
        response_number(fixture.call("systemgroup.create", {fixture.key, text("shop"), text("")}));
    const auto create = [&](const std::string& name, const std::string& type, std::int64_t id) {
        return fixture.call(
            "recurring.highstate.create",
            {fixture.key,
             record(
                 {{"entity_type", text(type)},
                  {"entity_id", number(id)},
                  {"name", text(name)},
                  {"cron_expr", text("0 30 3 ? * 2")},
                  {"test", flag(true)}})});
    };
    const auto stored = [&](const std::string& name) {
        return fixture.windows.current()->schedules.at(name).stored;
    };

    const auto weekly = response_number(create("weekly", "group", shop));
    response_number(create("one", "minion", 2));

    CHECK(stored("weekly").function == "configuration.deploy");
    CHECK(stored("weekly").arguments == R"({"dry_run":true})");
    CHECK(stored("one").query == "number:2");
    const auto response = fixture.call("recurring.lookupById", {fixture.key, number(weekly)});
    CHECK(response.contains("<string>HIGHSTATE</string>"));
    CHECK(response.contains("<name>test</name><value><boolean>1</boolean>"));
    const auto change = record({{"id", number(weekly)}, {"test", flag(false)}});
    CHECK(
        response_number(fixture.call("recurring.highstate.update", {fixture.key, change}))
        == weekly);
    CHECK(stored("weekly").arguments == R"({"dry_run":false})");
    auto narrow = stored("weekly");
    narrow.arguments = R"({"channel":"motd"})";
    REQUIRE(run_sync(fixture.windows.put_schedule(
        "weekly", narrow, windows::window_store::write_mode::replace, "admin")));
    response_number(fixture.call("recurring.highstate.update", {fixture.key, change}));
    CHECK(stored("weekly").arguments == R"({"channel":"motd","dry_run":false})");
    CHECK(fixture.call("recurring.custom.update", {fixture.key, change})
              .contains("recurring.highstate"));
    CHECK(fixture.call("recurring.delete", {fixture.key, number(weekly)}).contains("<i4>1</i4>"));
}

TEST_CASE("what would need Ansible is refused as clients know it") {
    actions_fixture fixture;
    const auto desired = record(
        {{"entity_type", text("minion")},
         {"entity_id", number(1)},
         {"name", text("nightly")},
         {"cron_expr", text("0 30 3 ? * 2")},
         {"playbook_path", text("/srv/site.yml")}});
    const auto playbook = fixture.call("recurring.playbook.create", {fixture.key, desired});
    CHECK(playbook.contains(fault_code(2801)));
    CHECK(playbook.contains("only be created on Ansible control nodes"));
    const auto some = record({{"name", text("nightly")}});
    CHECK(fixture.call("recurring.playbook.create", {fixture.key, some})
              .contains("Incomplete action props"));
    CHECK(fixture.call("recurring.playbook.update", {fixture.key, some})
              .contains("No action id provided"));
    CHECK(fixture.call("recurring.playbook.update", {fixture.key, record({{"id", number(7)}})})
              .contains("Action with id: 7 does not exist"));
    CHECK(fixture.windows.current()->schedules.empty());
}

TEST_CASE("calendars and maintenance schedules are made, given to systems and removed") {
    actions_fixture fixture;
    const std::string ical =
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//\nBEGIN:VEVENT\nUID:1\nSUMMARY:nights\n"
        "DTSTART:20260101T220000Z\nDTEND:20260102T020000Z\nRRULE:FREQ=DAILY\nEND:VEVENT\n"
        "END:VCALENDAR\n";
    const auto result =
        fixture.call("maintenance.createCalendar", {fixture.key, text("cal"), text(ical)});
    CHECK(result.contains("<string>cal</string>"));
    CHECK(result.contains("FREQ=DAILY"));
    CHECK(fixture.call("maintenance.createCalendar", {fixture.key, text("bad"), text("no")})
              .contains("fault"));
    const auto nights = fixture.call(
        "maintenance.createSchedule", {fixture.key, text("nights"), text("multi"), text("cal")});
    CHECK(nights.contains("<string>multi</string>"));
    CHECK(fixture.call("maintenance.createSchedule", {fixture.key, text("frozen"), text("single")})
              .contains("<string>single</string>"));
    CHECK(fixture.call("maintenance.listScheduleNames", {fixture.key})
              .contains("<string>frozen</string>"));
    CHECK(fixture.call("maintenance.getScheduleDetails", {fixture.key, text("nights")})
              .contains("<name>ical</name>"));
    const auto cancel = texts({"Cancel"});
    CHECK(
        response_number(fixture.call(
            "maintenance.assignScheduleToSystems",
            {fixture.key, text("nights"), numbers({1, 3}), cancel}))
        == 2);
    CHECK(fixture
              .call(
                  "maintenance.assignScheduleToSystems",
                  {fixture.key, text("nights"), numbers({9}), cancel})
              .contains("fault"));
    const auto with =
        fixture.call("maintenance.listSystemsWithSchedule", {fixture.key, text("nights")});
    CHECK(count(with, "<i4>") == 2);
    auto earlier = ical;
    earlier.replace(earlier.find("T22"), 3, "T21");
    const auto updated = fixture.call(
        "maintenance.updateCalendar",
        {fixture.key, text("cal"), record({{"ical", text(earlier)}}), cancel});
    CHECK(updated.contains("<name>status</name><value><boolean>1</boolean>"));
    CHECK(updated.contains("<string>nights</string>"));
    CHECK(fixture
              .call(
                  "maintenance.updateSchedule",
                  {fixture.key, text("frozen"), record({{"calendar", text("cal")}}), cancel})
              .contains("<boolean>1</boolean>"));
    CHECK(fixture.call("maintenance.getScheduleDetails", {fixture.key, text("frozen")})
              .contains("<string>cal</string>"));
    CHECK(
        response_number(
            fixture.call("maintenance.retractScheduleFromSystems", {fixture.key, numbers({1, 3})}))
        == 2);
    const auto gone =
        fixture.call("maintenance.deleteCalendar", {fixture.key, text("cal"), flag(false)});
    CHECK(count(gone, "for_schedule_name") == 2);
    CHECK(count(fixture.call("maintenance.listCalendarLabels", {fixture.key}), "<string>") == 0);
    CHECK(fixture.windows.current()->maintenance.at("nights").stored.type == "multi");
    CHECK(fixture.windows.current()->maintenance.at("nights").stored.calendar.empty());
    fixture.call("maintenance.createCalendar", {fixture.key, text("other"), text(ical)});
    fixture.call(
        "maintenance.updateSchedule",
        {fixture.key, text("nights"), record({{"calendar", text("other")}}), cancel});
    CHECK(fixture.call("maintenance.getScheduleDetails", {fixture.key, text("nights")})
              .contains("<string>other</string>"));
    fixture.call("maintenance.createSchedule", {fixture.key, text("never"), text("none")});
    CHECK(fixture
              .call(
                  "maintenance.updateSchedule",
                  {fixture.key, text("never"), record({{"calendar", text("other")}}), cancel})
              .contains("use type single or multi"));
    for (const char* const name : {"nights", "frozen", "never"})
        CHECK(fixture.call("maintenance.deleteSchedule", {fixture.key, text(name)})
                  .contains("<i4>1</i4>"));
    CHECK(fixture.call("maintenance.getScheduleDetails", {fixture.key, text("nights")})
              .contains("fault"));
}

}  // namespace
}  // namespace muster::xmlrpc_api
