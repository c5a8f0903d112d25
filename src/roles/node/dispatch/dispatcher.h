#pragma once

#include "core/rollout/engine.h"
#include "services/cluster/lease_guard.h"
#include "roles/node/dispatch/agent_outbox.h"
#include "roles/node/dispatch/holdings.h"
#include "roles/node/dispatch/ledger_work_queue.h"
#include "roles/node/dispatch/payload_keeper.h"
#include "roles/node/dispatch/presumed_ends.h"
#include "roles/node/dispatch/return_keeper.h"
#include "roles/node/dispatch/task_inbox.h"
#include "roles/node/dispatch/unrecorded_pickups.h"
#include "roles/node/dispatch/unsent_tasks.h"
#include "roles/node/dispatch/window_gates.h"
#include "services/jobs/job_book.h"
#include "runtime/effect_driver.h"
#include "runtime/metrics.h"

#include <atomic>
#include <functional>
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
// Not thread-safe, but for the inbox and heard_of(); call from the strand of its run functions.
class dispatcher {
public:
    struct surroundings {
        jobs::job_ledger& records;
        jobs::job_book& book;
        const fleet::fleet& systems;
        const cluster::topology_cell& topology;
        const cluster::lease_guard& lease;
        clock& time;
        runtime::logger& log;
        agent_outbox::sender send;
        // As window_gates wants to know it.
        using took = window_gates::took;
        using window_state = window_gates::window_state;
        std::function<window_state(const fleet::system_set&, const took&)> windows =
            [](const fleet::system_set&, const took&) {
                return window_state();
            };
        std::function<async<took>(job_spec)> measured = nullptr;
    };
    struct options {
        node_id self;
        monotonic::duration handover = std::chrono::seconds(10);  // at least the lease's ttl
        std::uint64_t node_points = 20'000;                       // tasks in flight
        std::uint32_t system_points = 10;                         // of them on one system
        std::size_t jobs_max = 10'000;                            // open here at once; others wait
        return_keeper::options keeping = {};
        payload_keeper::options payloads = {};
        // A task that ends sooner has one row and not two.
        monotonic::duration picked_up_after = std::chrono::seconds(1);
    };

    static constexpr auto gate_holds = window_gates::holds;

    dispatcher(surroundings around, options how);
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    task_inbox& inbox() { return inbox_; }
    // For fleet::fleet::watch(). From any thread.
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
    const rollout::engine& engine() const { return *engine_; }
    std::int64_t epoch() const { return held_.epoch(); }
    // The slot table of whose every slot this node has read the job's tasks; nothing while some are
    // still to be read.
    std::optional<std::int64_t> loaded_epoch(job_id job) const;

    void export_to(runtime::metrics& counted);

private:
    using driver = runtime::effect_driver<rollout::engine, dispatcher>;
    friend driver;

    void perform(const rollout::start& effect);
    void perform(const rollout::send_again& effect);
    void perform(const rollout::ask& effect);
    void perform(const rollout::kill& effect);
    void perform(const rollout::conclude& effect);
    void perform(const rollout::fail_away& effect);
    void perform(const rollout::halt& effect);
    void perform(const rollout::share_done& effect);
    void settled();
    instant now() const { return around_.time.now(); }

    void job_changed(const jobs::open_job& one);
    void holdings_changed(const holdings::difference& made);
    void heed_zone_limit(const std::shared_ptr<const cluster::topology>& known);
    void take(const agent_said& news);
    void take(const agent_left& news);
    void take_held(const agent_said& news, const muster::agent_protocol::TasksHeld& said);
    void take_report(system_number from, const muster::agent_protocol::Report& report);
    std::optional<task_record> end_in_engine(
        const rollout::attempt_key& task, task_record row, rollout::outcome how);
    void record_unasked(const job_record& job, task_record row, rollout::outcome how);
    void learn_from(const task_record& row, const job_spec& work);
    void recorded(std::vector<task_record> rows, return_keeper::standing how);

    async<void> run(open_share wanted);
    async<void> run(halt_job wanted);
    async<void> run(late_report wanted);

    void send_task(const rollout::attempt_key& task);
    void refuse_start(const rollout::start& effect);
    bool is_over(const job_record& job) const;
    void dismiss(const task_record& row);
    void review_pressure();
    void write_overdue_starts();
    void send_recorded();
    void review_gates();
    void review_gate(const jobs::open_job& one);
    void shut_gate(const jobs::open_job& one, const fleet::system_set& systems);
    bool outside_of_window(const rollout::attempt_key& task);
    void look_again();
    bool put_off_if_full();
    void presume(const task_record& like, fleet::system_set systems);
    void write_presumed();
    task_record row_of(const rollout::attempt_key& task, task_state state) const;
    bool fenced() const { return !around_.lease.holds(now()); }
    bool limited(job_id job) const;
    rollout::permission permission_of(const jobs::open_job& one) const;

    surroundings around_;
    options how_;
    task_inbox inbox_;
    driver engine_;
    agent_outbox outbox_;
    return_keeper keeper_;
    payload_keeper payloads_;
    holdings held_;
    // What agents reported, as the engine is told of it: the effect that concludes the attempt
    // takes it from here.
    std::map<rollout::attempt_key, task_record> reported_;
    unsent_tasks unsent_;
    presumed_ends presumed_;
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
    runtime::bell holdings_bell_;

    // For the metrics, which are read on other threads.
    std::atomic<std::uint64_t> in_flight_ = 0;
    std::atomic<std::uint64_t> waiting_ = 0;
};

}  // namespace muster::dispatch
