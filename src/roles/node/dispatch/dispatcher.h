#pragma once

#include "core/rollout/task_scheduler.h"
#include "roles/node/dispatch/agent_outbox.h"
#include "roles/node/dispatch/channel_sender.h"
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

// The node's side of all jobs: drives a rollout::engine with the ledger and the agents' channels.
// What an agent reports is on record before the agent is told so; what is to be started is started
// only while the node's lease holds.
//
// Not thread-safe, but for heard_of(); call from the strand of its run functions.
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
        task_inbox& inbox;  // what the channels tell
        channel_sender& agents;
        window_source& windows;
    };
    struct options {
        node_id self;
        monotonic::duration handover = std::chrono::seconds(10);  // at least the lease's ttl
        std::uint64_t node_points = 20'000;                       // tasks in flight
        std::uint32_t system_points = 10;                         // of them on one system
        std::size_t jobs_max = 10'000;                            // open here at once; others wait
        task_result_writer::options keeping = {};
        payload_collector::options payloads = {};
        // A task that ends sooner has one row and not two.
        monotonic::duration picked_up_after = std::chrono::seconds(1);
    };

    dispatcher(dependencies deps, options options);
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    // For fleet::system_cache::watch(). From any thread.
    void heard_of(std::span<const fleet::change> changes);

    // Each until it is cancelled.
    boost::asio::awaitable<void> read_inbox();
    boost::asio::awaitable<void> watch_clock();
    boost::asio::awaitable<void> keep_holdings();
    boost::asio::awaitable<void> run_errands();
    boost::asio::awaitable<void> keep_returns() { return keeper_.run(); }
    boost::asio::awaitable<void> keep_payloads() { return payloads_.run(); }

    // The node was staged: nothing it knew of its systems is used when it is taken in again. What
    // agents have reported still comes on record.
    void wipe();

    // This node's part of a job's cluster-wide limits.
    void allow(job_id job, rollout::allowance part, rollout::settlement used);
    const rollout::task_scheduler& scheduler() const { return *scheduler_; }
    std::int64_t epoch() const { return held_.epoch(); }
    // The slot table of whose every slot this node has read the job's tasks; nothing while some are
    // still to be read.
    std::optional<std::int64_t> loaded_epoch(job_id job) const;

    void export_to(runtime::metrics& metrics);

private:
    using driver = runtime::effect_driver<rollout::task_scheduler, dispatcher>;
    friend driver;

    void perform(const rollout::start& effect);
    void perform(const rollout::send_again& effect);
    void perform(const rollout::ask& effect);
    void perform(const rollout::kill& effect);
    void perform(const rollout::conclude& effect);
    void perform(const rollout::fail_absent& effect);
    void perform(const rollout::halt& effect);
    void perform(const rollout::share_done& effect);
    void settled();
    instant now() const { return deps_.clock.now(); }

    void job_changed(const jobs::open_job& open_job);
    void holdings_changed(const owned_systems::difference& difference);
    void heed_zone_limit(const std::shared_ptr<const cluster::topology>& topology);
    void take(const agent_message& news);
    void take(const agent_detached& news);
    void take_held(const agent_message& news, const muster::agent_protocol::TasksHeld& tasks_held);
    void take_report(system_number from, const muster::agent_protocol::Report& report);
    std::optional<task_record> end_in_engine(
        const rollout::attempt_key& task, task_record row, rollout::outcome outcome);
    void record_unasked(const job_record& job, task_record row, rollout::outcome outcome);
    void learn_from(const task_record& row, const job_spec& work);
    void recorded(
        std::vector<task_record> rows, task_result_writer::write_outcome write_outcome) override;

    async<void> run(open_share open_share);
    async<void> run(halt_job halt_job);
    async<void> run(late_report late_report);

    void send_task(const rollout::attempt_key& task);
    void refuse_start(const rollout::start& effect);
    bool is_over(const job_record& job) const;
    void dismiss(const task_record& row);
    void review_pressure();
    void write_overdue_starts();
    void send_recorded();
    void review_gates();
    void review_gate(const jobs::open_job& open_job);
    void shut_gate(const jobs::open_job& open_job, const fleet::system_set& systems);
    bool outside_of_window(const rollout::attempt_key& task);
    void look_again();
    bool put_off_if_full();
    void presume(const task_record& like, fleet::system_set systems);
    void write_presumed();
    task_record row_of(const rollout::attempt_key& task, task_state state) const;
    bool fenced() const { return !deps_.lease.holds(now()); }
    bool limited(job_id job) const;
    rollout::permission permission_of(const jobs::open_job& open_job) const;

    dependencies deps_;
    options options_;
    driver scheduler_;
    agent_outbox outbox_;
    task_result_writer keeper_;
    payload_collector payloads_;
    owned_systems held_;
    // What agents reported, as the engine is told of it: the effect that concludes the attempt
    // takes it from here.
    std::map<rollout::attempt_key, task_record> reported_;
    unsent_tasks unsent_;
    presumed_results presumed_;
    unrecorded_pickups unrecorded_;
    window_gates gates_;
    instant gates_due_{};
    instant look_again_due_{};
    ledger_work_queue work_;
    bool has_room_ = false;                                // the engine forgot a job
    std::shared_ptr<const cluster::topology> limited_by_;  // whose zone's limit is heeded
    std::optional<std::int64_t> known_epoch_;  // whose every slot has its errands, or is through

    std::mutex changes_guard_;
    std::vector<fleet::change> changes_;
    runtime::async_event holdings_bell_;

    // For the metrics, which are read on other threads.
    std::atomic<std::uint64_t> in_flight_ = 0;
    std::atomic<std::uint64_t> waiting_ = 0;
};

}  // namespace muster::dispatch
