#include "core/rollout/task_scheduler.h"

#include "core/rollout/task_scheduler_fixture.h"

#include <doctest/doctest.h>

#include <chrono>

namespace muster::rollout {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a batch is a moving window: a return starts the next") {
    node_under_test node;
    node.attach(1, 5);
    CHECK(node.open({.batch = amount{.value = 2}}, 1, 5) == started{{1, 1}, {2, 1}});

    CHECK(node.completes(1) == started{{3, 1}});
    CHECK(node.completes(2) == started{{4, 1}});
    CHECK(node.report().running == 2);
}

TEST_CASE("a place stays blocked for the batch's wait after a return") {
    node_under_test node;
    node.attach(1, 3);
    node.open({.batch = amount{.value = 1}, .batch_wait = 10s}, 1, 3);

    CHECK(node.completes(1).empty());
    CHECK(node.at(9s).empty());
    CHECK(node.at(10s) == started{{2, 1}});
}

TEST_CASE("nothing of a limited job starts before this node was allowed a part of the limit") {
    node_under_test node;
    node.attach(1, 3);
    const auto terms = node.terms({.batch = amount{.value = 2}}, 3);
    node.take(node.machine.open(terms, node.targets(1, 3), node.now).value());
    CHECK(node.take(node.machine.set_permission(node.job, start_all{}, node.now)).empty());

    CHECK(
        node.take(node.machine.set_allowance(node.job, {.concurrency = 2}, {}, node.now)).size()
        == 2);
}

TEST_CASE("systems that are away take no place, and start when they come back") {
    node_under_test node;
    node.attach(2, 3);
    CHECK(node.open({.batch = amount{.value = 3}}, 1, 3) == started{{2, 1}, {3, 1}});

    CHECK(node.take(node.machine.on_attached(system_number(1), node.now)) == started{{1, 1}});
}

TEST_CASE("a job that does not wait for those away fails them after they were away for long") {
    node_under_test node;
    node.attach(1, 1);
    node.open({.on_return = false}, 1, 3);
    node.at(node_job_state::away_timeout);
    node.take(node.machine.on_attached(system_number(2), node.now));

    node.at(node_job_state::away_timeout);

    REQUIRE(node.seen<fail_absent>().size() == 1);
    CHECK(node.seen<fail_absent>()[0].systems == fleet::system_set{system_number(3)});
    CHECK(node.report().failed == 1);
}

TEST_CASE("starts keep the rate") {
    node_under_test node;
    node.attach(1, 10);
    CHECK(node.open({.rate = 2}, 1, 10) == started{{1, 1}});

    CHECK(node.at(499ms).empty());
    CHECK(node.at(1ms) == started{{2, 1}});
    CHECK(node.at(500ms) == started{{3, 1}});
}

TEST_CASE("the job halts when more tasks failed than it bears") {
    node_under_test node;
    node.attach(1, 10);
    node.open({.batch = amount{.value = 1}, .max_failures = amount{.value = 1}}, 1, 10);

    CHECK(node.fails(1) == started{{2, 1}});
    CHECK(node.fails(2).empty());

    REQUIRE(node.seen<halt>().size() == 1);
    CHECK(node.seen<halt>()[0].reason == "2 tasks failed on one node, failure limit is 1");
    CHECK(node.seen<share_done>().size() == 1);
}

TEST_CASE("canaries go first, the rest when the cluster says so") {
    node_under_test node;
    node.attach(1, 5);
    const canaries_only first{{system_number(2), system_number(4)}};
    CHECK(node.open({}, 1, 5, first) == started{{2, 1}, {4, 1}});
    CHECK(node.completes(2).empty());
    CHECK(node.report().canaries_completed == 1);
    CHECK(node.completes(4).empty());

    const auto rest = node.take(node.machine.set_permission(node.job, start_all{}, node.now));

    CHECK(rest == started{{1, 1}, {3, 1}, {5, 1}});
}

TEST_CASE("a canary that fails halts the job at once") {
    node_under_test node;
    node.attach(1, 5);
    node.open({}, 1, 5, canaries_only{{system_number(2)}});

    node.fails(2);

    CHECK(node.seen<halt>().size() == 1);
    CHECK(node.take(node.machine.set_permission(node.job, start_all{}, node.now)).empty());
}

TEST_CASE("a job whose parents are not through starts nothing") {
    node_under_test node;
    node.attach(1, 2);
    CHECK(node.open({}, 1, 2, start_none{}).empty());

    CHECK(node.take(node.machine.set_permission(node.job, start_all{}, node.now)).size() == 2);
}

TEST_CASE("a paused job starts nothing, and goes on where it was") {
    node_under_test node;
    node.attach(1, 3);
    node.open({.batch = amount{.value = 1}}, 1, 3);
    node.take(node.machine.set_stage(node.job, job_stage::paused, false, node.now));
    CHECK(node.completes(1).empty());

    const auto resumed =
        node.take(node.machine.set_stage(node.job, job_stage::open, false, node.now));

    CHECK(resumed == started{{2, 1}});
}

TEST_CASE("cancelling drops what is queued and waits for what runs") {
    node_under_test node;
    node.attach(1, 3);
    node.open({.batch = amount{.value = 1}}, 1, 3);

    node.take(node.machine.set_stage(node.job, job_stage::cancelling, false, node.now));
    CHECK(node.seen<share_done>().empty());
    CHECK(node.completes(1).empty());

    CHECK(node.seen<share_done>().size() == 1);
    CHECK(node.seen<kill>().empty());
}

TEST_CASE("cancelling by force tells the agents of running tasks to end them") {
    node_under_test node;
    node.attach(1, 2);
    node.open({}, 1, 2);

    node.take(node.machine.set_stage(node.job, job_stage::cancelling, true, node.now));

    CHECK(node.seen<kill>().size() == 2);
    CHECK(node.report().running == 2);
}

TEST_CASE("nothing starts before the job's time, nor after it expired") {
    node_under_test node;
    node.attach(1, 1);
    auto terms = node.terms({}, 2);
    terms.period = {.opens = node.now + 1h, .expires = node.now + 25h};
    node.take(node.machine.open(terms, node.targets(1, 2), node.now).value());
    CHECK(node.take(node.machine.set_permission(node.job, start_all{}, node.now)).empty());
    CHECK(node.at(1h) == started{{1, 1}});
    node.completes(1);

    CHECK(node.at(24h).empty());
    CHECK(node.take(node.machine.on_attached(system_number(2), node.now)).empty());
    CHECK(node.seen<share_done>().size() == 1);
}

TEST_CASE("a system outside its window waits until its gate opens") {
    node_under_test node;
    const fleet::system_set night{system_number(1), system_number(2)};
    node.open({}, 1, 3);
    node.take(
        node.machine.set_window(node.job, night, task_scheduler::window_state::closed, node.now));
    node.attach(1, 3);
    CHECK(node.running() == 1);

    node.take(
        node.machine.set_window(node.job, night, task_scheduler::window_state::open, node.now));

    CHECK(node.running() == 3);
}

TEST_CASE("an overdue task is asked about until its agent says what became of it") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    const attempt_key task{node.job, system_number(1), 1};
    node.take(node.machine.on_accepted(task, node.now));

    node.at(1h);
    CHECK(node.seen<query_task>().size() == 1);
    node.take(node.machine.on_still_running(task, node.now));
    node.at(node_job_state::query_interval);
    CHECK(node.seen<query_task>().size() == 2);
    node.take(node.machine.on_unknown(task, node.now));

    REQUIRE(node.seen<conclude>().size() == 1);
    CHECK(node.seen<conclude>()[0].state == task_state::failed);
    CHECK(node.seen<conclude>()[0].reason == "No job return event was received.");
}

TEST_CASE("a task that its agent never confirmed is sent again when the agent is back") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);

    node.take(node.machine.on_detached(system_number(1), node.now));
    node.take(node.machine.on_attached(system_number(1), node.now));

    CHECK(node.seen<resend_task>().size() == 1);
    CHECK(node.seen<start>().size() == 1);
}

TEST_CASE("a task that never got to its agent is not begun any more when its job has ended") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    const attempt_key task{node.job, system_number(1), 1};

    node.take(node.machine.on_detached(system_number(1), node.now));
    node.take(node.machine.set_stage(node.job, job_stage::cancelling, false, node.now));
    node.take(node.machine.on_attached(system_number(1), node.now));
    CHECK(node.seen<resend_task>().empty());
    REQUIRE(node.seen<query_task>().size() == 1);
    node.take(node.machine.on_unknown(task, node.now));

    REQUIRE(node.seen<conclude>().size() == 1);
    CHECK(node.seen<conclude>()[0].state == task_state::failed);
    CHECK(node.seen<conclude>()[0].reason == "task had not started when its job ended");
    CHECK(node.running() == 0);
}

TEST_CASE("a task whose system never comes back ends with the job's time, and says so") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    node.take(node.machine.on_detached(system_number(1), node.now));

    node.at(23h);
    CHECK(node.seen<conclude>().empty());
    node.at(2h);

    REQUIRE(node.seen<conclude>().size() == 1);
    CHECK(node.seen<conclude>()[0].state == task_state::failed);
    CHECK(node.seen<share_done>().size() == 1);
}

TEST_CASE("an interrupted task runs again only where the job says that it may") {
    node_under_test node;
    node.attach(1, 1);
    node.open({.retries = 5}, 1, 1);
    const attempt_key task{node.job, system_number(1), 1};

    node.take(
        node.machine.on_returned(task, outcome::interrupted, "the agent was killed", node.now));

    CHECK(node.seen<conclude>().back().state == task_state::failed);
}

TEST_CASE(
    "a start that could not be recorded goes back into the queue, and the job waits a little") {
    node_under_test node;
    node.attach(1, 2);
    node.open({.batch = amount{.value = 1}}, 1, 2);
    const start refused = node.seen<start>().at(0);

    CHECK(node.take(node.machine.on_not_recorded(refused, node.now)).empty());

    CHECK(node.report().queued == 2);
    CHECK(node.at(node_job_state::refused_wait).size() == 1);
}

TEST_CASE("a late word that a start was refused does not undo a later start of the same task") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);
    const start before = node.seen<start>().at(0);
    node.take(node.machine.remove_systems({system_number(1)}, 2, node.now));
    node.take(node.machine.add_share(node.job, node.targets(1, 1), node.now));
    node.attach(1, 1);

    CHECK(node.take(node.machine.on_not_recorded(before, node.now)).empty());

    CHECK(node.report().running == 1);
}

TEST_CASE("a ledger that falls behind stops starts until it has caught up") {
    node_under_test node;
    node.attach(1, 2);
    node.take(node.machine.set_ledger_state(task_scheduler::ledger_state::overloaded, node.now));
    CHECK(node.open({}, 1, 2).empty());

    CHECK(
        node.take(node.machine.set_ledger_state(task_scheduler::ledger_state::ok, node.now)).size()
        == 2);
}

TEST_CASE("the node's points bound all jobs together, a system's points the jobs on it") {
    node_under_test node(
        scheduler_options{.self = node_id("node1"), .node_tasks_max = 3, .system_tasks_max = 1});
    node.attach(1, 4);
    CHECK(node.open({}, 1, 4).size() == 3);
    const auto second = job_id_at(wall_time(2s));
    auto terms = node.terms({}, 4);
    terms.job = second;
    node.take(node.machine.open(terms, node.targets(1, 4), node.now).value());
    node.take(node.machine.set_permission(second, start_all{}, node.now));
    CHECK(node.running() == 3);

    const auto next = node.completes(1);

    // System 4 is the first job's next; systems 2 and 3 have no room for the second job.
    REQUIRE(next.size() == 1);
    CHECK(
        (next[0] == std::pair<std::int64_t, std::uint32_t>(4, 1)
         || next[0] == std::pair<std::int64_t, std::uint32_t>(1, 1)));
}

TEST_CASE("what another node started is taken over, and charged to that node") {
    node_under_test node;
    node.attach(1, 3);
    share share = node.targets(1, 3);
    share.completed.add(system_number(2));
    share.running.push_back(
        {.system = system_number(1), .starter = node_id("dead"), .started = node.now});
    const auto terms = node.terms({.batch = amount{.value = 1}}, 3);
    node.take(node.machine.open(terms, share, node.now).value());
    node.take(node.machine.set_permission(node.job, start_all{}, node.now));

    const auto first =
        node.take(node.machine.set_allowance(node.job, {.concurrency = 1}, {}, node.now));

    CHECK(first == started{{3, 1}});
    CHECK(
        node.report().charged
        == std::map<node_id, std::uint64_t>{{node_id("dead"), 1}, {node_id("node1"), 1}});
    CHECK(node.report().used == 1);
}

TEST_CASE("tasks that left with their slot keep their places until they are settled") {
    node_under_test node;
    node.attach(1, 4);
    node.open({.batch = amount{.value = 2}}, 1, 4);
    const fleet::system_set gone{system_number(1), system_number(2)};
    CHECK(node.take(node.machine.remove_systems(gone, 7, node.now)).empty());
    CHECK(node.report().used == 2);
    CHECK(
        node.take(node.machine.set_allowance(node.job, {.concurrency = 2}, {.epoch = 6}, node.now))
            .empty());

    const auto next = node.take(node.machine.set_allowance(
        node.job, {.concurrency = 2}, {.epoch = 7, .count = 1}, node.now));

    CHECK(next == started{{3, 1}});
}

TEST_CASE("one job more than the node takes is refused with a sentence") {
    node_under_test node(scheduler_options{.self = node_id("node1"), .jobs_max = 1});
    node.open({}, 1, 1);
    auto terms = node.terms({}, 1);
    terms.job = job_id_at(wall_time(2s));

    const auto refused = node.machine.open(terms, {}, node.now);

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::unavailable);
}

TEST_CASE("news about jobs and attempts that are not here change nothing") {
    node_under_test node;
    node.attach(1, 1);
    node.open({}, 1, 1);

    CHECK(node.fails(1, 2).empty());
    CHECK(node.machine.set_stage(job_id(99), job_stage::paused, false, node.now).empty());
    node.completes(1);
    CHECK(node.fails(1).empty());

    CHECK(node.seen<conclude>().size() == 1);
}

}  // namespace
}  // namespace muster::rollout
