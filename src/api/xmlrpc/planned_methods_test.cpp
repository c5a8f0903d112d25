#include "adapters/pki/base64.h"
#include "api/xmlrpc/methods/chain_methods.h"
#include "services/jobs/job_idempotency_store.h"
#include "tests/fixtures/api/actions_fixture.h"

namespace muster::xmlrpc_api {
namespace {

using namespace test;

TEST_CASE("a chain is put together, becomes a job, and its steps are known by their numbers") {
    actions_fixture on;
    const auto nightly = text("nightly");
    const auto script = text(pki::to_base64("echo one"));
    const auto add_script = [&](std::int64_t system) {
        return number_in(on.call(
            "actionchain.addScriptRun",
            {on.key,
             number(system),
             nightly,
             text("first"),
             text("root"),
             text(""),
             number(30),
             script}));
    };
    number_in(on.call("actionchain.createChain", {on.key, nightly}));
    CHECK(on.call("actionchain.createChain", {on.key, nightly}).contains(fault_code(2801)));
    const auto empty = on.call("actionchain.scheduleChain", {on.key, nightly, long_ago});
    CHECK(empty.contains(fault_code(10004)));
    const auto one = add_script(1);
    add_script(2);
    const auto reboot =
        number_in(on.call("actionchain.addSystemReboot", {on.key, number(1), nightly}));
    number_in(on.call("actionchain.addSystemReboot", {on.key, number(2), nightly}));
    const auto extra =
        number_in(on.call("actionchain.addSystemReboot", {on.key, number(2), nightly}));
    CHECK(on.call("actionchain.listChains", {on.key})
              .contains("<name>entrycount</name><value><i4>5</i4>"));
    CHECK(on.call("actionchain.removeAction", {on.key, nightly, number(extra)})
              .contains("<i4>1</i4>"));
    CHECK(on.call("actionchain.removeAction", {on.key, nightly, number(extra)})
              .contains(fault_code(2700)));
    CHECK(count(on.call("actionchain.listChainActions", {on.key, nightly}), "<struct>") == 4);
    CHECK(on.call("actionchain.addSystemReboot", {on.key, number(1), text("other")})
              .contains("There is no action chain other"));
    CHECK(on.call(
                "actionchain.addScriptRun",
                {on.key, number(1), nightly, text(""), text(""), number(0), text("no base 64!")})
              .contains("Base64"));

    CHECK(on.call("actionchain.scheduleChain", {on.key, nightly, long_ago}).contains("<i4>1</i4>"));
    CHECK(count(on.call("actionchain.listChains", {on.key}), "<struct>") == 0);
    // Both systems do the same, so it is one job.
    CHECK(on.listed("listAllActions") == 1);
    const auto job = run_sync(on.job_records.find(on.job_of(one))).value().record;
    CHECK(job.spec.function == "chain.run");
    CHECK(job.targets == 2);
    CHECK(on.job_of(reboot) == job.job);
    on.end(
        one,
        1,
        task_state::completed,
        R"({"steps":[{"exit_code":0,"output":{"stdout":"one"}},{"exit_code":0}]})");
    CHECK(on.systems_of("listCompletedSystems", one) == 1);
    CHECK(
        on.call("system.getScriptResults", {on.key, number(one)}).contains("<string>one</string>"));
    // Each user has chains of their own.
    number_in(on.call("actionchain.createChain", {on.key, text("mine")}));
    CHECK(on.call("actionchain.renameChain", {on.key, text("mine"), text("ours")})
              .contains("<i4>1</i4>"));
    on.add_user("ada", {{.role = "operator", .zone = ""}});
    const auto ada = on.log_in("ada");
    CHECK(count(on.call("actionchain.listChains", {ada}), "<struct>") == 0);
    CHECK(on.call("actionchain.deleteChain", {ada, text("ours")}).contains(fault_code(2700)));
    CHECK(on.call("actionchain.deleteChain", {on.key, text("ours")}).contains("<i4>1</i4>"));
}

TEST_CASE("an attempt to schedule a chain that made nothing is in the way of no other") {
    actions_fixture on;
    const auto nightly = text("nightly");
    number_in(on.call("actionchain.createChain", {on.key, nightly}));
    number_in(on.call("actionchain.addSystemReboot", {on.key, number(1), nightly}));
    // As a server leaves it whose ledger failed after the claim.
    compatibility::action_chain_store chains(*on.records, on.clock);
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
    jobs::job_idempotency_store claims(*on.store, on.clock);
    const auto failed = claim_of(with(true), 1);
    REQUIRE(run_sync(claims.take({.user = "admin", .key = failed, .digest = "for tonight"}))
                .has_value());
    with(false);

    const auto again = on.call("actionchain.scheduleChain", {on.key, nightly, long_ago});

    CHECK(number_in(again) == 1);
    CHECK(on.listed("listAllActions") == 1);
}

TEST_CASE("a recurring action is a schedule for a system, a group or all") {
    actions_fixture on;
    const auto shop = number_in(on.call("systemgroup.create", {on.key, text("shop"), text("")}));
    CHECK(on.call("systemgroup.getDetails", {on.key, number(shop)})
              .contains("<string>shop</string>"));
    CHECK(on.call("systemgroup.getDetails", {on.key, number(99)}).contains(fault_code(2201)));
    const auto create = [&](const std::string& name, const std::string& type, std::int64_t id) {
        return on.call(
            "recurring.custom.create",
            {on.key,
             record(
                 {{"entity_type", text(type)},
                  {"entity_id", number(id)},
                  {"name", text(name)},
                  {"cron_expr", text("0 30 3 ? * 2")},
                  {"states", texts({"hardware.profileupdate", "reboot"})},
                  {"test", flag(false)}})});
    };
    const auto weekly = number_in(create("weekly", "group", shop));
    number_in(create("one", "minion", 2));
    number_in(create("all", "org", 1));
    CHECK(create("weekly", "org", 1).contains("fault"));
    CHECK(create("none", "group", 99).contains("There is no system group 99"));
    const auto stored = on.windows.current()->schedules.at("weekly").stored;
    CHECK(stored.query == "group:shop");
    CHECK(stored.timing.cron == "30 3 * * 1");
    CHECK(stored.function == "chain.run");
    const auto response = on.call("recurring.lookupById", {on.key, number(weekly)});
    CHECK(response.contains("0 30 3 ? * 2"));
    CHECK(response.contains("<name>entity_id</name><value><i4>" + std::to_string(shop) + "</i4>"));
    CHECK(response.contains("<string>reboot</string>"));
    const auto created = [&](const std::string& from) {
        const auto at = from.find("<name>created</name>");
        REQUIRE(at != std::string::npos);
        return from.substr(at, from.find("</member>", at) - at);
    };
    const auto later = on.clock.wall() + std::chrono::hours(24);
    REQUIRE(run_sync(on.windows.note_considered("weekly", later, "node7")).value());
    const auto after_run = on.call("recurring.lookupById", {on.key, number(weekly)});
    CHECK(after_run.contains("<name>creator</name><value><string>admin</string>"));
    CHECK(created(after_run) == created(response));
    const auto listed = on.call("recurring.listByEntity", {on.key, text("minion"), number(2)});
    CHECK(count(listed, "<struct>") == 1);
    const auto changed = on.call(
        "recurring.custom.update",
        {on.key,
         record(
             {{"id", number(weekly)},
              {"active", flag(false)},
              {"cron_expr", text("0 0 4 * * ?")}})});
    CHECK(number_in(changed) == weekly);
    CHECK(!on.windows.current()->schedules.at("weekly").stored.active);
    CHECK(on.call("recurring.delete", {on.key, number(weekly)}).contains("<i4>1</i4>"));
    CHECK(
        on.call("recurring.lookupById", {on.key, number(weekly)}).contains("no recurring action"));
    CHECK(on.call("recurring.custom.listAvailable", {on.key}).contains("hardware.profileupdate"));
}

TEST_CASE("a recurring highstate brings systems to their configuration, or only compares") {
    actions_fixture on;
    const auto shop = number_in(on.call("systemgroup.create", {on.key, text("shop"), text("")}));
    const auto create = [&](const std::string& name, const std::string& type, std::int64_t id) {
        return on.call(
            "recurring.highstate.create",
            {on.key,
             record(
                 {{"entity_type", text(type)},
                  {"entity_id", number(id)},
                  {"name", text(name)},
                  {"cron_expr", text("0 30 3 ? * 2")},
                  {"test", flag(true)}})});
    };
    const auto stored = [&](const std::string& name) {
        return on.windows.current()->schedules.at(name).stored;
    };

    const auto weekly = number_in(create("weekly", "group", shop));
    number_in(create("one", "minion", 2));

    CHECK(stored("weekly").function == "configuration.deploy");
    CHECK(stored("weekly").arguments == R"({"dry_run":true})");
    CHECK(stored("one").query == "number:2");
    const auto response = on.call("recurring.lookupById", {on.key, number(weekly)});
    CHECK(response.contains("<string>HIGHSTATE</string>"));
    CHECK(response.contains("<name>test</name><value><boolean>1</boolean>"));
    const auto change = record({{"id", number(weekly)}, {"test", flag(false)}});
    CHECK(number_in(on.call("recurring.highstate.update", {on.key, change})) == weekly);
    CHECK(stored("weekly").arguments == R"({"dry_run":false})");
    auto narrow = stored("weekly");
    narrow.arguments = R"({"channel":"motd"})";
    REQUIRE(run_sync(on.windows.put_schedule(
        "weekly", narrow, windows::window_store::writing::replacement, "admin")));
    number_in(on.call("recurring.highstate.update", {on.key, change}));
    CHECK(stored("weekly").arguments == R"({"channel":"motd","dry_run":false})");
    CHECK(on.call("recurring.custom.update", {on.key, change}).contains("recurring.highstate"));
    CHECK(on.call("recurring.delete", {on.key, number(weekly)}).contains("<i4>1</i4>"));
}

TEST_CASE("what would need Ansible is refused as clients know it") {
    actions_fixture on;
    const auto desired = record(
        {{"entity_type", text("minion")},
         {"entity_id", number(1)},
         {"name", text("nightly")},
         {"cron_expr", text("0 30 3 ? * 2")},
         {"playbook_path", text("/srv/site.yml")}});
    const auto playbook = on.call("recurring.playbook.create", {on.key, desired});
    CHECK(playbook.contains(fault_code(2801)));
    CHECK(playbook.contains("only be created on Ansible control nodes"));
    const auto some = record({{"name", text("nightly")}});
    CHECK(on.call("recurring.playbook.create", {on.key, some}).contains("Incomplete action props"));
    CHECK(on.call("recurring.playbook.update", {on.key, some}).contains("No action id provided"));
    CHECK(on.call("recurring.playbook.update", {on.key, record({{"id", number(7)}})})
              .contains("Action with id: 7 does not exist"));
    CHECK(on.windows.current()->schedules.empty());
}

TEST_CASE("calendars and maintenance schedules are made, given to systems and removed") {
    actions_fixture on;
    const std::string ical =
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//test//\nBEGIN:VEVENT\nUID:1\nSUMMARY:nights\n"
        "DTSTART:20260101T220000Z\nDTEND:20260102T020000Z\nRRULE:FREQ=DAILY\nEND:VEVENT\n"
        "END:VCALENDAR\n";
    const auto result = on.call("maintenance.createCalendar", {on.key, text("cal"), text(ical)});
    CHECK(result.contains("<string>cal</string>"));
    CHECK(result.contains("FREQ=DAILY"));
    CHECK(
        on.call("maintenance.createCalendar", {on.key, text("bad"), text("no")}).contains("fault"));
    const auto nights =
        on.call("maintenance.createSchedule", {on.key, text("nights"), text("multi"), text("cal")});
    CHECK(nights.contains("<string>multi</string>"));
    CHECK(on.call("maintenance.createSchedule", {on.key, text("frozen"), text("single")})
              .contains("<string>single</string>"));
    CHECK(on.call("maintenance.listScheduleNames", {on.key}).contains("<string>frozen</string>"));
    CHECK(on.call("maintenance.getScheduleDetails", {on.key, text("nights")})
              .contains("<name>ical</name>"));
    const auto cancel = texts({"Cancel"});
    CHECK(
        number_in(on.call(
            "maintenance.assignScheduleToSystems",
            {on.key, text("nights"), numbers({1, 3}), cancel}))
        == 2);
    CHECK(
        on.call(
              "maintenance.assignScheduleToSystems", {on.key, text("nights"), numbers({9}), cancel})
            .contains("fault"));
    const auto with = on.call("maintenance.listSystemsWithSchedule", {on.key, text("nights")});
    CHECK(count(with, "<i4>") == 2);
    auto earlier = ical;
    earlier.replace(earlier.find("T22"), 3, "T21");
    const auto updated = on.call(
        "maintenance.updateCalendar",
        {on.key, text("cal"), record({{"ical", text(earlier)}}), cancel});
    CHECK(updated.contains("<name>status</name><value><boolean>1</boolean>"));
    CHECK(updated.contains("<string>nights</string>"));
    CHECK(on.call(
                "maintenance.updateSchedule",
                {on.key, text("frozen"), record({{"calendar", text("cal")}}), cancel})
              .contains("<boolean>1</boolean>"));
    CHECK(on.call("maintenance.getScheduleDetails", {on.key, text("frozen")})
              .contains("<string>cal</string>"));
    CHECK(
        number_in(on.call("maintenance.retractScheduleFromSystems", {on.key, numbers({1, 3})}))
        == 2);
    const auto gone = on.call("maintenance.deleteCalendar", {on.key, text("cal"), flag(false)});
    CHECK(count(gone, "for_schedule_name") == 2);
    CHECK(count(on.call("maintenance.listCalendarLabels", {on.key}), "<string>") == 0);
    CHECK(on.windows.current()->maintenance.at("nights").stored.type == "multi");
    CHECK(on.windows.current()->maintenance.at("nights").stored.calendar.empty());
    on.call("maintenance.createCalendar", {on.key, text("other"), text(ical)});
    on.call(
        "maintenance.updateSchedule",
        {on.key, text("nights"), record({{"calendar", text("other")}}), cancel});
    CHECK(on.call("maintenance.getScheduleDetails", {on.key, text("nights")})
              .contains("<string>other</string>"));
    on.call("maintenance.createSchedule", {on.key, text("never"), text("none")});
    CHECK(on.call(
                "maintenance.updateSchedule",
                {on.key, text("never"), record({{"calendar", text("other")}}), cancel})
              .contains("with one it is single or multi"));
    for (const char* const name : {"nights", "frozen", "never"})
        CHECK(on.call("maintenance.deleteSchedule", {on.key, text(name)}).contains("<i4>1</i4>"));
    CHECK(on.call("maintenance.getScheduleDetails", {on.key, text("nights")}).contains("fault"));
}

}  // namespace
}  // namespace muster::xmlrpc_api
