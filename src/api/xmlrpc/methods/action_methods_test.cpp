#include "api/xmlrpc/methods/action_methods.h"

#include "adapters/pki/base64.h"
#include "tests/fixtures/api/actions_fixture.h"

#include <algorithm>

namespace muster::xmlrpc_api {
namespace {

using namespace test;

TEST_CASE("a script is run as a job, and the lists of actions follow what becomes of it") {
    actions_fixture on;
    const auto action = on.run(numbers({1, 2}));
    const auto job = run_sync(on.job_records.find(on.job_of(action))).value().record;
    CHECK(job.spec.function == "script.run");
    CHECK(job.spec.arguments.contains("echo hello"));
    CHECK(job.spec.by == "admin");
    CHECK(job.spec.windows == job_spec::window_rule::respect);
    CHECK(!job.spec.not_before);
    CHECK(job.spec.timeout == std::chrono::seconds(60));
    CHECK(on.listed("listInProgressActions") == 1);
    CHECK(on.listed("listCompletedActions") == 0);
    CHECK(on.systems_of("listInProgressSystems", action) == 2);

    on.end(action, 1, task_state::completed, R"({"stdout":"hello\n","stderr":""})");
    on.end(action, 2, task_state::failed, R"({"stdout":"a\u0001","stderr":"b"})");

    CHECK(on.listed("listInProgressActions") == 0);
    const auto completed = on.call("schedule.listCompletedActions", {on.key});
    CHECK(completed.contains("<name>id</name><value><i4>" + std::to_string(action) + "</i4>"));
    CHECK(completed.contains("Remote Command on 2 systems"));
    CHECK(completed.contains("<name>failedSystems</name><value><i4>1</i4>"));
    CHECK(on.listed("listFailedActions") == 1);
    CHECK(on.systems_of("listCompletedSystems", action) == 1);
    CHECK(on.call("schedule.listFailedSystems", {on.key, number(action)}).contains("exit code 3"));
    const auto results = on.call("system.getScriptResults", {on.key, number(action)});
    CHECK(results.contains("<string>hello\n</string>"));
    CHECK(
        results.contains(pki::to_base64("a\x01"
                                        "b")));
    CHECK(results.contains("<name>output_enc64</name><value><boolean>1</boolean>"));
    const auto trail = on.audited();
    CHECK(std::ranges::count(trail, "system.scheduleScriptRun") == 1);
    CHECK(std::ranges::count(trail, "jobs.make") == 1);
}

TEST_CASE("an action is planned for later, cancelled, done again, archived and deleted") {
    actions_fixture on;
    const auto later = on.run(number(1), far_off);
    CHECK(run_sync(on.job_records.find(on.job_of(later))).value().record.spec.not_before);
    CHECK(on.call("schedule.cancelActions", {on.key, numbers({later})}).contains("<i4>1</i4>"));
    const auto cancelled = run_sync(on.job_records.find(on.job_of(later))).value().record;
    CHECK(cancelled.stage == job_stage::cancelling);

    const auto action = on.run(numbers({1, 2}));
    on.end(action, 1, task_state::completed, "{}");
    on.end(action, 2, task_state::failed, "{}");
    const auto again =
        on.call("schedule.rescheduleActions", {on.key, numbers({action}), flag(true)});
    CHECK(again.contains("<i4>1</i4>"));
    CHECK(on.listed("listFailedActions") == 0);
    CHECK(on.listed("listArchivedActions") == 1);
    const auto pending = on.call("schedule.listInProgressActions", {on.key});
    CHECK(pending.contains("Remote Command on 2 systems"));

    CHECK(on.call("schedule.deleteActions", {on.key, numbers({later})}).contains("not archived"));
    CHECK(on.listed("listAllActions") == 3);
    on.call("schedule.archiveActions", {on.key, numbers({later})});
    CHECK(on.listed("listAllArchivedActions") == 2);
    on.call("schedule.deleteActions", {on.key, numbers({later, action})});
    CHECK(on.listed("listAllActions") == 1);
    CHECK(
        on.call("schedule.listFailedSystems", {on.key, number(action)}).contains(fault_code(2700)));
    CHECK(on.call("schedule.cancelActions", {on.key, numbers({999})}).contains(fault_code(2700)));
    const auto none = on.call("schedule.rescheduleActions", {on.key, numbers({later}), flag(true)});
    CHECK(none.contains(fault_code(2700)));
}

TEST_CASE("jobs of the native API are actions, too") {
    actions_fixture on;
    fleet::system_set system_set{system_number(3)};
    job_spec spec{.function = "test.ping", .arguments = "{}", .by = "admin", .note = "is it there"};
    REQUIRE(run_sync(on.job_service.make({.spec = spec, .targets = system_set})).has_value());
    CHECK(on.call("schedule.listAllActions", {on.key}).contains("is it there"));
    CHECK(on.call("schedule.listAllActions", {on.key}).contains("<string>test.ping</string>"));
}

TEST_CASE("who has rights in one zone makes, sees and touches actions there only") {
    actions_fixture on;
    on.add_user("far", {{.role = "operator", .zone = "far"}});
    on.add_user("reader", {{.role = "viewer", .zone = ""}});
    const auto here = on.run(number(1));
    on.key = on.log_in("far");
    const auto refused = on.call("system.scheduleReboot", {on.key, number(1), long_ago});
    CHECK(refused.contains("No such system"));
    CHECK(on.listed("listAllActions") == 0);
    CHECK(on.call("schedule.cancelActions", {on.key, numbers({here})}).contains(fault_code(2700)));
    const auto there = number_in(on.call("system.scheduleReboot", {on.key, number(4), long_ago}));
    CHECK(on.systems_of("listInProgressSystems", there) == 1);
    CHECK(on.listed("listAllActions") == 1);
    on.key = on.log_in("reader");
    CHECK(on.listed("listAllActions") == 2);
    CHECK(on.call("system.scheduleReboot", {on.key, number(1), long_ago}).contains("jobs.run"));
    CHECK(on.call("schedule.archiveActions", {on.key, numbers({here})}).contains("jobs.run"));
}

TEST_CASE("the history of a system tells its actions, with what they gave back") {
    actions_fixture on;
    const auto first = on.run(number(1));
    const auto facts =
        number_in(on.call("system.scheduleHardwareRefresh", {on.key, number(1), long_ago}));
    on.end(first, 1, task_state::completed, R"({"stdout":"hello","stderr":""})");
    on.end(facts, 1, task_state::failed, "");
    const auto history = on.call("system.getEventHistory", {on.key, number(1)});
    CHECK(count(history, "<struct>") == 2);
    CHECK(history.contains("Hardware List Refresh on web1 scheduled by admin"));
    CHECK(history.contains("<string>Failed</string>"));
    const auto second =
        on.call("system.getEventHistory", {on.key, number(1), number(1), number(5)});
    CHECK(count(second, "<struct>") == 1);
    CHECK(second.contains("Remote Command on web1"));
    CHECK(count(on.call("system.getEventHistory", {on.key, number(1), far_off}), "<struct>") == 0);
    CHECK(count(on.call("system.getEventHistory", {on.key, number(2)}), "<struct>") == 0);
    const auto details = on.call("system.getEventDetails", {on.key, number(1), number(first)});
    CHECK(details.contains("<string>hello</string>"));
    CHECK(details.contains("<name>result_code</name><value><i4>0</i4>"));
    CHECK(on.call("system.getEventDetails", {on.key, number(2), number(first)})
              .contains(fault_code(2700)));
    CHECK(on.call("system.getScriptResults", {on.key, number(facts)}).contains(fault_code(2701)));
}

TEST_CASE("users have numbers that stay") {
    actions_fixture on;
    on.add_user("ada", {{.role = "viewer", .zone = ""}});
    const auto before = on.call("user.listUsers", {on.key});
    CHECK(before == on.call("user.listUsers", {on.key}));
}

}  // namespace
}  // namespace muster::xmlrpc_api
