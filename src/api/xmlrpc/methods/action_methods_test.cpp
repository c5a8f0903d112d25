#include "api/xmlrpc/methods/action_methods.h"

#include "adapters/pki/base64.h"
#include "tests/fixtures/api/actions_fixture.h"

#include <algorithm>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

TEST_CASE("a script is run as a job, and the lists of actions follow what becomes of it") {
    actions_fixture fixture;
    const auto action = fixture.run(numbers({1, 2}));
    const auto job = run_sync(fixture.job_records.find(fixture.job_of(action))).value().record;
    CHECK(job.spec.function == "script.run");
    CHECK(job.spec.arguments.contains("echo hello"));
    CHECK(job.spec.actor == "admin");
    CHECK(job.spec.windows == job_spec::window_rule::respect);
    CHECK(!job.spec.not_before);
    CHECK(job.spec.timeout == std::chrono::seconds(60));
    CHECK(fixture.listed("listInProgressActions") == 1);
    CHECK(fixture.listed("listCompletedActions") == 0);
    CHECK(fixture.systems_of("listInProgressSystems", action) == 2);

    fixture.end(action, 1, task_state::completed, R"({"stdout":"hello\n","stderr":""})");
    fixture.end(action, 2, task_state::failed, R"({"stdout":"a\u0001","stderr":"b"})");

    CHECK(fixture.listed("listInProgressActions") == 0);
    const auto completed = fixture.call("schedule.listCompletedActions", {fixture.key});
    CHECK(completed.contains("<name>id</name><value><i4>" + std::to_string(action) + "</i4>"));
    CHECK(completed.contains("Remote Command on 2 systems"));
    CHECK(completed.contains("<name>failedSystems</name><value><i4>1</i4>"));
    CHECK(fixture.listed("listFailedActions") == 1);
    CHECK(fixture.systems_of("listCompletedSystems", action) == 1);
    CHECK(fixture.call("schedule.listFailedSystems", {fixture.key, number(action)})
              .contains("exit code 3"));
    const auto results = fixture.call("system.getScriptResults", {fixture.key, number(action)});
    CHECK(results.contains("<string>hello\n</string>"));
    CHECK(
        results.contains(pki::to_base64("a\x01"
                                        "b")));
    CHECK(results.contains("<name>output_enc64</name><value><boolean>1</boolean>"));
    const auto trail = fixture.audited();
    CHECK(std::ranges::count(trail, "system.scheduleScriptRun") == 1);
    CHECK(std::ranges::count(trail, "jobs.create") == 1);
}

TEST_CASE("an action is planned for later, cancelled, done again, archived and deleted") {
    actions_fixture fixture;
    const auto later = fixture.run(number(1), far_off);
    CHECK(run_sync(fixture.job_records.find(fixture.job_of(later))).value().record.spec.not_before);
    CHECK(fixture.call("schedule.cancelActions", {fixture.key, numbers({later})})
              .contains("<i4>1</i4>"));
    const auto cancelled = run_sync(fixture.job_records.find(fixture.job_of(later))).value().record;
    CHECK(cancelled.stage == job_stage::cancelling);

    const auto action = fixture.run(numbers({1, 2}));
    fixture.end(action, 1, task_state::completed, "{}");
    fixture.end(action, 2, task_state::failed, "{}");
    const auto again =
        fixture.call("schedule.rescheduleActions", {fixture.key, numbers({action}), flag(true)});
    CHECK(again.contains("<i4>1</i4>"));
    CHECK(fixture.listed("listFailedActions") == 0);
    CHECK(fixture.listed("listArchivedActions") == 1);
    const auto pending = fixture.call("schedule.listInProgressActions", {fixture.key});
    CHECK(pending.contains("Remote Command on 2 systems"));

    CHECK(fixture.call("schedule.deleteActions", {fixture.key, numbers({later})})
              .contains("not archived"));
    CHECK(fixture.listed("listAllActions") == 3);
    fixture.call("schedule.archiveActions", {fixture.key, numbers({later})});
    CHECK(fixture.listed("listAllArchivedActions") == 2);
    fixture.call("schedule.deleteActions", {fixture.key, numbers({later, action})});
    CHECK(fixture.listed("listAllActions") == 1);
    CHECK(fixture.call("schedule.listFailedSystems", {fixture.key, number(action)})
              .contains(fault_code(2700)));
    CHECK(fixture.call("schedule.cancelActions", {fixture.key, numbers({999})})
              .contains(fault_code(2700)));
    const auto none =
        fixture.call("schedule.rescheduleActions", {fixture.key, numbers({later}), flag(true)});
    CHECK(none.contains(fault_code(2700)));
}

TEST_CASE("jobs of the native API are actions, too") {
    actions_fixture fixture;
    fleet::system_set system_set{system_number(3)};
    job_spec spec{
        .function = "test.ping", .arguments = "{}", .actor = "admin", .note = "is it there"};
    REQUIRE(
        run_sync(fixture.job_service.create({.spec = spec, .targets = system_set})).has_value());
    CHECK(fixture.call("schedule.listAllActions", {fixture.key}).contains("is it there"));
    CHECK(fixture.call("schedule.listAllActions", {fixture.key})
              .contains("<string>test.ping</string>"));
}

TEST_CASE("who has rights in one zone makes, sees and touches actions there only") {
    actions_fixture fixture;
    fixture.add_user("far", {{.role = "operator", .zone = "far"}});
    fixture.add_user("reader", {{.role = "viewer", .zone = ""}});
    const auto here = fixture.run(number(1));
    fixture.key = fixture.log_in("far");
    const auto refused = fixture.call("system.scheduleReboot", {fixture.key, number(1), long_ago});
    CHECK(refused.contains("No such system"));
    CHECK(fixture.listed("listAllActions") == 0);
    CHECK(fixture.call("schedule.cancelActions", {fixture.key, numbers({here})})
              .contains(fault_code(2700)));
    const auto there =
        response_number(fixture.call("system.scheduleReboot", {fixture.key, number(4), long_ago}));
    CHECK(fixture.systems_of("listInProgressSystems", there) == 1);
    CHECK(fixture.listed("listAllActions") == 1);
    fixture.key = fixture.log_in("reader");
    CHECK(fixture.listed("listAllActions") == 2);
    CHECK(fixture.call("system.scheduleReboot", {fixture.key, number(1), long_ago})
              .contains("jobs.run"));
    CHECK(fixture.call("schedule.archiveActions", {fixture.key, numbers({here})})
              .contains("jobs.run"));
}

TEST_CASE("the history of a system tells its actions, with what they gave back") {
    actions_fixture fixture;
    const auto first = fixture.run(number(1));
    const auto facts = response_number(
        fixture.call("system.scheduleHardwareRefresh", {fixture.key, number(1), long_ago}));
    fixture.end(first, 1, task_state::completed, R"({"stdout":"hello","stderr":""})");
    fixture.end(facts, 1, task_state::failed, "");
    const auto history = fixture.call("system.getEventHistory", {fixture.key, number(1)});
    CHECK(count(history, "<struct>") == 2);
    CHECK(history.contains("Hardware List Refresh on web1 scheduled by admin"));
    CHECK(history.contains("<string>Failed</string>"));
    const auto second =
        fixture.call("system.getEventHistory", {fixture.key, number(1), number(1), number(5)});
    CHECK(count(second, "<struct>") == 1);
    CHECK(second.contains("Remote Command on web1"));
    CHECK(
        count(fixture.call("system.getEventHistory", {fixture.key, number(1), far_off}), "<struct>")
        == 0);
    CHECK(count(fixture.call("system.getEventHistory", {fixture.key, number(2)}), "<struct>") == 0);
    const auto details =
        fixture.call("system.getEventDetails", {fixture.key, number(1), number(first)});
    CHECK(details.contains("<string>hello</string>"));
    CHECK(details.contains("<name>result_code</name><value><i4>0</i4>"));
    CHECK(fixture.call("system.getEventDetails", {fixture.key, number(2), number(first)})
              .contains(fault_code(2700)));
    CHECK(fixture.call("system.getScriptResults", {fixture.key, number(facts)})
              .contains(fault_code(2701)));
}

TEST_CASE("users have numbers that stay") {
    actions_fixture fixture;
    fixture.add_user("ada", {{.role = "viewer", .zone = ""}});
    const auto before = fixture.call("user.listUsers", {fixture.key});
    CHECK(before == fixture.call("user.listUsers", {fixture.key}));
}

}  // namespace
}  // namespace muster::xmlrpc_api
