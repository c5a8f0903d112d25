#pragma once

#include "core/rollout/task_scheduler.h"
#include "roles/node/dispatch/agent_outbox.h"
#include "roles/node/dispatch/connection_sender.h"
#include "roles/node/dispatch/ledger_work_queue.h"
#include "roles/node/dispatch/owned_systems.h"
#include "roles/node/dispatch/payload_collector.h"
#include "roles/node/dispatch/presumed_results.h"
#include "roles/node/dispatch/task_inbox.h"
#include "roles/node/dispatch/task_result_writer.h"
#include "roles/node/dispatch/unrecorded_pickups.h"
#include "roles/node/dispatch/unsent_tasks.h"
#include "roles/node/dispatch/window_gates.h"
#include "roles/node/dispatch/window_source.h"
#include "runtime/effect_driver.h"
#include "runtime/metrics.h"
#include "services/cluster/lease_guard.h"
#include "services/jobs/open_job_cache.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace muster::dispatch {

// Runs the tasks of all jobs on this node: drives a rollout::task_scheduler with the ledger and the
// agent connections. A report is stored before the agent gets the acknowledgement. Tasks start only
// while the node's lease holds.
//
// Not thread-safe, except on_systems_changed(); call from the strand of its run functions.
class dispatcher final : private task_result_writer::listener {
public:
    struct dependencies {
        jobs::job_store& jobs;
        jobs::open_job_cache& open_jobs;
        const fleet::system_cache& systems;
        const cluster::topology_cache& topology;
        const cluster::lease_guard& lease;
        muster::clock& clock;
        runtime::logger& log;
        task_inbox& inbox;  // messages of agent connections
        connection_sender& agents;
        window_source& windows;
    };
    struct options {
        node_id self;
        monotonic::duration handover = std::chrono::seconds(10);  // at least the lease TTL
        std::uint64_t node_points = 20'000;                       // tasks in flight
        std::uint32_t system_points = 10;                         // in flight on one system
        std::size_t jobs_max = 10'000;                            // open at once; others wait
        task_result_writer::options results = {};
        payload_collector::options payloads = {};
        // A task that ends sooner gets one row instead of two.
        monotonic::duration picked_up_after = std::chrono::seconds(1);
    };

    dispatcher(dependencies deps, options options);
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    // For fleet::system_cache::watch(). From any thread.
    void on_systems_changed(std::span<const fleet::change> changes);

    // Each runs until cancelled.
    boost::asio::awaitable<void> read_inbox();
    boost::asio::awaitable<void> watch_clock();
    boost::asio::awaitable<void> follow_systems();
    boost::asio::awaitable<void> run_ledger_work();
    boost::asio::awaitable<void> write_results() { return result_writer_.run(); }
    boost::asio::awaitable<void> write_payloads() { return payloads_.run(); }

    // The node was staged: forgets everything about its systems. Reports received so far are still
    // stored.
    void wipe();

    // This node's part of a job's cluster-wide limits.
    void allow(job_id job, rollout::allowance allowance, rollout::tasks_elsewhere elsewhere);
    const rollout::task_scheduler& scheduler() const { return *scheduler_; }
    std::int64_t epoch() const { return owned_.epoch(); }
    // The epoch of the slot table for which all tasks of the job are loaded; nullopt while some are
    // not.
    std::optional<std::int64_t> loaded_epoch(job_id job) const;

    void export_to(runtime::metrics& metrics);

private:
    using driver = runtime::effect_driver<rollout::task_scheduler, dispatcher>;
    friend driver;

    void perform(const rollout::start& effect);
    void perform(const rollout::resend_task& effect);
    void perform(const rollout::query_task& effect);
    void perform(const rollout::kill& effect);
    void perform(const rollout::conclude& effect);
    void perform(const rollout::fail_absent& effect);
    void perform(const rollout::halt& effect);
    void perform(const rollout::share_done& effect);
    void settled();
    instant now() const { return deps_.clock.now(); }

    void on_job_changed(const jobs::open_job& open_job);
    void on_owned_changed(const owned_systems::difference& difference);
    void apply_zone_limit(const std::shared_ptr<const cluster::topology>& topology);
    void on_message(const agent_message& message);
    void on_message(const agent_detached& message);
    void on_tasks_held(
        const agent_message& message, const muster::agent_protocol::TasksHeld& tasks_held);
    void on_report(system_number system, const muster::agent_protocol::Report& report);
    std::optional<task_record> end_in_scheduler(
        const rollout::attempt_key& task, task_record row, rollout::outcome outcome);
    void record_unexpected(const job_record& job, task_record row, rollout::outcome outcome);
    void add_duration(const task_record& row, const job_spec& work);
    void on_recorded(
        std::vector<task_record> rows, task_result_writer::write_outcome write_outcome) override;

    async<void> run(open_share request);
    async<void> run(halt_job request);
    async<void> run(late_report report);

    void send_task(const rollout::attempt_key& task);
    void refuse_start(const rollout::start& effect);
    bool is_finished(const job_record& job) const;
    void acknowledge_only(const task_record& row);
    void update_pressure();
    void write_overdue_starts();
    void send_recorded();
    void review_gates();
    void review_gate(const jobs::open_job& open_job);
    void close_gate(const jobs::open_job& open_job, const fleet::system_set& systems);
    bool is_outside_window(const rollout::attempt_key& task);
    void recheck_overdue_jobs();
    bool defer_if_full();
    void presume(const task_record& row, fleet::system_set systems);
    void write_presumed();
    task_record row_of(const rollout::attempt_key& task, task_state state) const;
    bool is_fenced() const { return !deps_.lease.holds(now()); }
    bool is_limited(job_id job) const;
    rollout::permission permission_of(const jobs::open_job& open_job) const;

    dependencies deps_;
    options options_;
    driver scheduler_;
    agent_outbox outbox_;
    task_result_writer result_writer_;
    payload_collector payloads_;
    owned_systems owned_;
    // Reports that the scheduler is being fed; the effect that ends the attempt removes its entry.
    std::map<rollout::attempt_key, task_record> reported_;
    unsent_tasks unsent_;
    presumed_results presumed_;
    unrecorded_pickups unrecorded_;
    window_gates gates_;
    instant gates_due_{};
    instant recheck_due_{};
    ledger_work_queue work_;
    bool has_free_slot_ = false;                               // the scheduler forgot a job
    std::shared_ptr<const cluster::topology> limit_topology_;  // of the applied zone limit
    std::optional<std::int64_t> complete_epoch_;               // all its slots are queued or loaded

    std::mutex changes_guard_;
    std::vector<fleet::change> changes_;
    runtime::async_event systems_changed_;

    // Read by metrics on other threads.
    std::atomic<std::uint64_t> in_flight_ = 0;
    std::atomic<std::uint64_t> waiting_ = 0;
};

}  // namespace muster::dispatch
