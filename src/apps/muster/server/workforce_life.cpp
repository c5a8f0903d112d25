// When a server's work begins and ends.
#include "apps/muster/server/workforce.h"
#include "ports/deadline.h"

#include <chrono>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

constexpr auto leave_patience = 2s;

}  // namespace

void workforce::begin(runtime::task_group& work) {
    work.spawn("ring on the bus", bell_.run());
    work.spawn("stay listed", membership_.keep());
    work.spawn("follow the topology", topology_follower_.run());
    work.spawn("follow the systems", systems_follower_.run());
    work.spawn("follow the saved groups", groups_.run());
    if (deps_.how.has_role("gateway")) {
        work.spawn("follow the people", people_follower_.run());
        work.spawn("follow the software channels", software_.books.run());
        work.spawn("forget unused lists of packages", unused_lists_.run());
        work.spawn("follow the systems' profiles", configuration_.profiles.run());
        work.spawn("start what activation keys want of newcomers", newcomers_.run());
    }
    work.spawn("follow the accept rules", rules_.run());
    work.spawn("follow the maintenance windows", windows_.run());
    work.spawn("change many systems", operations_.run());
    work.spawn("follow the jobs", open_jobs_.run());
    // The active driver makes jobs of schedules, for whomever an expression means, also of those
    // that deploy configuration.
    if (deps_.how.has_role("gateway") || deps_.how.has_role("driver")) {
        work.spawn("follow the tasks", task_states_.run());
        work.spawn("follow the systems' facts", facts_follower_.run());
        work.spawn("follow the configuration", configuration_.records.run());
    }
    events_.begin(work);
    revisions_->begin(work);
    work.spawn("follow presence", sightings_.follow_reports());
    work.spawn("follow loads", sightings_.follow_loads());
    work.spawn("drop the lost", sightings_.drop_the_lost());
    if (driver_) {
        work.spawn("drive", driver_->run());
        const auto active = [this] {
            return driver_->counted().active.load();
        };
        work.spawn("clean up", caretaker_.run(active));
        work.spawn("see jobs through", job_supervisor_.run(active));
        events_.begin_driving(work, active);
        history_.begin_driving(work, active);
        work.spawn("start what schedules have due", schedules_due_.keep(active));
        work.spawn("fetch calendars again", calendars_.run(active));
        work.spawn("share out jobs' limits", job_quotas_.run(active));
        work.spawn("drop old records", old_records_.run(active));
        work.spawn("start what channels have due", channels_due_.run(active));
        work.spawn("forget unused contents of files", unused_contents_.run(active));
        work.spawn("bring channels up to their repositories", software_.syncs.run());
    }
    if (channels_) {
        work.spawn("keep the node's record", node_life_->run());
        work.spawn("watch over channels", channels_->run());
        work.spawn("keep facts", channels_->keep_facts());
        work.spawn("tell who is attached", reports_->run());
        history_.begin_keeping(work, deps_.counted);
        work.spawn("hear of tasks", dispatcher_->read_inbox());
        work.spawn("watch over tasks", dispatcher_->watch_clock());
        work.spawn("know the node's systems", dispatcher_->keep_holdings());
        work.spawn("look up tasks", dispatcher_->run_errands());
        work.spawn("keep to jobs' limits", grants_->run());
        work.spawn("show tasks' output", watching_->output().run());
        work.spawn("bring tasks on record", dispatcher_->keep_returns());
        work.spawn("bring payloads on record", dispatcher_->keep_payloads());
    }
}

boost::asio::awaitable<void> workforce::leave() {
    if (node_life_) {
        const auto response = co_await within(deps_.time, leave_patience, node_life_->go_offline());
        if (!response)
            deps_.log.warning(
                "the cluster could not be told that this node goes down",
                {{"reason", to_string(response.error())}});
    }
    if (channels_) {
        auto last = history_.finish(channels_->attached().take_changes());
        ignore_error(
            co_await within(deps_.time, leave_patience, std::move(last)),
            "the record says then that nothing is known of this node's last moments");
    }
    ignore_error(
        co_await within(deps_.time, leave_patience, revisions_->leave()),
        "whoever takes the lead waits for the lease's end");
    ignore_error(
        co_await within(deps_.time, leave_patience, events_.finish()),
        "the ledger is away, and so is what it was to be told");
    if (driver_) {
        ignore_error(
            co_await within(deps_.time, leave_patience, driver_->leave()),
            "another driver takes over when the lease ends");
    }
    const auto left = co_await within(deps_.time, leave_patience, membership_.leave());
    if (!left)
        deps_.log.warning(
            "not taken off the list of servers; the lease will end it",
            {{"reason", to_string(left.error())}});
}

}  // namespace muster::server
