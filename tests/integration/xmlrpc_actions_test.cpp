// Actions of the compatible API with a real agent: what is scheduled runs, and is told.

#include "tests/integration/xmlrpc_client_fixture.h"

namespace muster::integration {
namespace {

// Whoever runs the agent may run scripts as themselves.
constexpr const char* beginning = R"(
import base64, grp, os, pwd
user = pwd.getpwuid(os.getuid()).pw_name
group = grp.getgrgid(os.getgid()).gr_name
number = server.system.getId(key, "web1")[0]["id"]
def numbers(actions):
    return [each["id"] for each in actions]
def run(script, when=None, label="greet"):
    return server.system.scheduleScriptRun(
        key, label, [number], user, group, 60, script, when or moment())
)";

TEST_CASE("scripts are scheduled, told, cancelled and done again with a real agent") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(beginning + std::string(R"(
good = run("#!/bin/sh\necho hello\n")
bad = run("echo oh >&2; exit 3", label="fails")
later = run("echo never", moment(3600), "later")
wait_for("not completed", lambda: good in numbers(server.schedule.listCompletedActions(key)))
wait_for("not failed", lambda: bad in numbers(server.schedule.listFailedActions(key)))
assert numbers(server.schedule.listInProgressActions(key)) == [later]
result, = server.system.getScriptResults(key, good)
assert result["output"] == "hello\n" and result["returnCode"] == 0, result
assert result["serverId"] == number, result
result, = server.system.getScriptResults(key, bad)
assert result["output"] == "oh\n" and result["returnCode"] == 3, result
done, = server.schedule.listCompletedSystems(key, good)
assert done["server_name"] == "web1" and done["server_id"] == number, done
assert server.schedule.listInProgressSystems(key, good) == []
assert len(server.schedule.listInProgressSystems(key, later)) == 1
assert [a["name"] for a in server.schedule.listAllActions(key)] == ["later", "fails", "greet"]

history = server.system.getEventHistory(key, number)
assert {each["id"] for each in history} == {good, bad}, history
details = server.system.getEventDetails(key, number, bad)
assert details["status"] == "Failed" and details["result_code"] == 3, details
assert "oh" in details["additional_info"][0]["detail"], details

assert server.schedule.cancelActions(key, [later]) == 1
wait_for("not cancelled", lambda: server.schedule.listInProgressActions(key) == [])
assert server.schedule.rescheduleActions(key, [bad], True) == 1
assert bad not in numbers(server.schedule.listFailedActions(key))
wait_for("not again", lambda: len(server.schedule.listFailedActions(key)) == 1)
assert bad in numbers(server.schedule.listArchivedActions(key))
assert server.schedule.archiveActions(key, [good]) == 1
assert server.schedule.deleteActions(key, [good, bad]) == 1
assert good not in numbers(server.schedule.listAllActions(key))
assert fault(server.schedule.listFailedSystems, key, good).faultCode == 2700

facts = server.system.scheduleHardwareRefresh(key, number, moment())
wait_for("no facts", lambda: facts in numbers(server.schedule.listCompletedActions(key)))
assert "No such system" in fault(server.system.scheduleReboot, key, 999, moment()).faultString
assert server.user.listUsers(key)[0]["id"] > 0
)"));
    // Others see it, too.
    const auto jobs = here.server.cli({"jobs", "-o", "json"});
    CHECK(jobs.output.contains("script.run"));
}

TEST_CASE("a chain is put together and runs step by step with a real agent") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(beginning + std::string(R"(
def script(text):
    return base64.b64encode(text.encode()).decode()
assert server.actionchain.createChain(key, "nightly") > 0
add = server.actionchain.addScriptRun
note = "/tmp/muster-chain-%d" % os.getpid()
first = add(
    key, number, "nightly", "one", user, group, 60, script("echo one > %s; echo one" % note))
second = add(key, number, "nightly", user, group, 60, script("cat %s; rm %s" % (note, note)))
dropped = server.actionchain.addSystemReboot(key, number, "nightly")
assert server.actionchain.removeAction(key, "nightly", dropped) == 1
chain, = server.actionchain.listChains(key)
assert chain == {"label": "nightly", "entrycount": 2}, chain
assert numbers(server.actionchain.listChainActions(key, "nightly")) == [first, second]
assert server.actionchain.scheduleChain(key, "nightly", moment()) == 1
assert server.actionchain.listChains(key) == []
wait_for("the chain", lambda: len(server.schedule.listCompletedActions(key)) == 1)
assert server.schedule.listAllActions(key)[0]["name"] == "nightly"
for step in (first, second):
    result, = server.system.getScriptResults(key, step)
    assert result["output"] == "one\n" and result["returnCode"] == 0, result
assert fault(server.actionchain.scheduleChain, key, "nightly", moment()).faultCode == 2700
)"));
}

TEST_CASE("a recurring action is a schedule that the cluster keeps") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(beginning + std::string(R"(
group_number = server.systemgroup.create(key, "shop", "sells")["id"]
assert server.systemgroup.getDetails(key, group_number)["name"] == "shop"
assert "test.ping" in server.recurring.custom.listAvailable(key)
wanted = {"entity_type": "group", "entity_id": group_number, "name": "weekly",
          "cron_expr": "0 30 3 ? * 2", "states": ["test.ping", "hardware.profileupdate"]}
weekly = server.recurring.custom.create(key, wanted)
listed, = server.recurring.listByEntity(key, "group", group_number)
assert listed["id"] == weekly and listed["cron_expr"] == "0 30 3 ? * 2", listed
assert server.recurring.listByEntity(key, "minion", number) == []
assert server.recurring.custom.update(key, {"id": weekly, "cron_expr": "0 0 4 ? * 2"}) == weekly
assert server.recurring.lookupById(key, weekly)["cron_expr"] == "0 0 4 ? * 2"
wrong = {**wanted, "name": "other", "cron_expr": "now"}
assert "cron_expr" in fault(server.recurring.custom.create, key, wrong).faultString
)"));
    const auto output = here.server.cli({"schedules", "show", "weekly", "-o", "json"});
    CHECK(output.output.contains("group:shop"));
    CHECK(output.output.contains("0 4 * * 1"));
    here.python(beginning + std::string(R"(
group_number = [g["id"] for g in server.systemgroup.listAllGroups(key)][0]
listed, = server.recurring.listByEntity(key, "group", group_number)
assert server.recurring.delete(key, listed["id"]) == 1
assert server.recurring.listByEntity(key, "group", group_number) == []
)"));
}

TEST_CASE("a recurring action is done by a real agent when its minute comes") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(beginning + std::string(R"(
every_minute = server.recurring.custom.create(key, {
    "entity_type": "minion", "entity_id": number, "name": "again", "cron_expr": "0 * * * * ?",
    "states": ["test.ping", "hardware.profileupdate"]})
until = time.monotonic() + 120
while not server.schedule.listCompletedActions(key):
    assert time.monotonic() < until, "its minute did not come"
    time.sleep(0.5)
assert server.recurring.delete(key, every_minute) == 1
assert [s["server_name"] for s in server.schedule.listCompletedSystems(
    key, server.schedule.listCompletedActions(key)[-1]["id"])] == ["web1"]
)"));
}

TEST_CASE("an action waits for its system's maintenance window, and runs when that is moved") {
    xmlrpc_client_fixture here;
    here.take_in();
    here.python(beginning + std::string(R"(
def calendar(begin, end):
    at = lambda seconds: moment(seconds).value.replace(":", "") + "Z"
    return "\n".join([
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//", "BEGIN:VEVENT", "UID:1",
        "SUMMARY:nights", "DTSTART:" + at(begin), "DTEND:" + at(end),
        "END:VEVENT", "END:VCALENDAR", ""])
assert server.maintenance.createCalendar(key, "cal", calendar(36000, 40000))["label"] == "cal"
schedule = server.maintenance.createSchedule(key, "nights", "single", "cal")
assert schedule["calendar"]["label"] == "cal" and schedule["type"] == "single", schedule
assert server.maintenance.listScheduleNames(key) == ["nights"]
assert server.maintenance.assignScheduleToSystems(key, "nights", [number], ["Cancel"]) == 1
assert server.maintenance.listSystemsWithSchedule(key, "nights") == [number]
outside = fault(run, "echo outside", moment(3600)).faultString
assert "window" in outside, outside
action = run("echo inside")
# What needs no window is done meanwhile.
facts = server.system.scheduleHardwareRefresh(key, number, moment())
wait_for("no facts", lambda: facts in numbers(server.schedule.listCompletedActions(key)))
waiting, = server.schedule.listInProgressActions(key)
assert waiting["id"] == action and waiting["inProgressSystems"] == 1, waiting
told, = server.maintenance.updateCalendar(key, "cal", {"ical": calendar(-3600, 7200)}, ["Fail"])
assert told["status"] is True and told["for_schedule_name"] == "nights", told
wait_for("the window", lambda: action in numbers(server.schedule.listCompletedActions(key)))
assert server.maintenance.retractScheduleFromSystems(key, [number]) == 1
told, = server.maintenance.deleteCalendar(key, "cal", True)
assert told["status"] is True, told
assert server.maintenance.listCalendarLabels(key) == []
assert server.maintenance.deleteSchedule(key, "nights") == 1
)"));
}

}  // namespace
}  // namespace muster::integration
