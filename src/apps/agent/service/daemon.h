#pragma once

#include "apps/agent/service/agent_options.h"
#include "apps/agent/service/agent_resources.h"
#include "apps/agent/service/gateway_client.h"
#include "apps/agent/service/log.h"
#include "apps/agent/service/node_connection.h"
#include "apps/agent/service/notifier.h"
#include "apps/agent/service/package_reporter.h"
#include "apps/agent/service/state_action_reconciler.h"
#include "apps/agent/service/state_file.h"
#include "apps/agent/tasks/machine_inventory.h"
#include "apps/agent/tasks/task_manager.h"
#include "core/lifecycle/agent_state_machine.h"
#include "core/session/agent_facts.h"
#include "runtime/async_event.h"
#include "runtime/deadline_timer.h"
#include "runtime/effect_driver.h"
#include "runtime/task_group.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace muster::agent {

// The agent's daemon: runs the state machine core/lifecycle/agent_state_machine with gateway
// requests, a node connection, state actions and facts. Not thread-safe; call from one event loop.
//
// The parts of the agent do not know each other: each notifies the daemon through its listener, and
// the daemon forwards the notification. The task manager gets task frames from the connection and
// package digests from the package reporter. It reads facts and packages as machine_inventory.
class daemon final : private runtime::deadline_owner,
                     private node_connection_listener,
                     private package_reporter_listener,
                     private task_manager_listener,
                     private machine_inventory {
public:
    struct dependencies {
        muster::agent::log& log;
        muster::clock& clock;
        const notifier& systemd;
        boost::asio::any_io_executor loop;
    };

    daemon(agent_options options, agent_resources resources, dependencies deps);
    daemon(const daemon&) = delete;
    daemon& operator=(const daemon&) = delete;
    ~daemon() override = default;

    // Runs until the cluster reports the system as deleted or stop() is called.
    boost::asio::awaitable<void> run();
    void stop();
    // True after a one-shot run (`exit_when_idle`) that reached no node.
    bool reached_no_node() const {
        return options_.exit_when_idle > options_.exit_when_idle.zero() && !attached_once_
               && !life_cycle_->is_stopped();
    }
    bool needs_restart() const { return needs_restart_; }  // the program file was replaced
    // Collects the facts of the machine now.
    void refresh_facts();

private:
    using driver = runtime::effect_driver<lifecycle::agent_state_machine, daemon>;
    friend driver;

    template <class Effect>
    void perform(const Effect& effect) {
        execute(effect);
        status_changed_ = true;
    }
    void execute(const lifecycle::request_status& effect);
    void execute(const lifecycle::enrol& effect);
    void execute(const lifecycle::request_placement& effect);
    void execute(const lifecycle::open_connection& effect);
    void execute(const lifecycle::close_connection& effect);
    void execute(const lifecycle::enter_state& effect);
    void execute(const lifecycle::stop_permanently& effect);
    void settled();
    instant now() const { return deps_.clock.now(); }

    // node_connection_listener
    void attached(const attachment& attachment) override;
    void node_fenced() override;
    void facts_answered(const std::string& digest, bool wanted) override;
    bool handle_frame(const agent_protocol::Frame& frame) override { return tasks_.handle(frame); }
    void read_done() override { tasks_.read_done(); }
    void measured(const session::round_trips& round_trips) override;

    // package_reporter_listener
    void package_facts_changed() override { refresh_fact_cache(); }
    void packages_refreshed(session::task_name task, const result<std::string>& digest) override {
        tasks_.packages_refreshed(task, digest);
    }

    // task_manager_listener
    void restart_needed() override;
    void task_problem(const std::string& message) override {
        deps_.log.warning("task journal or output problem", {{"error", message}});
    }

    // machine_inventory
    const facts& present_facts() const override { return present_facts_; }
    void refresh_packages(session::task_name task) override { packages_.refresh(task); }
    void packages_changed() override { packages_.refresh_soon(); }

    void spawn_part(std::string name, std::function<boost::asio::awaitable<void>()> create);
    std::optional<instant> next_deadline() const override { return life_cycle_->next_deadline(); }
    void deadline_due() override;
    boost::asio::awaitable<void> handle_response(boost::asio::awaitable<gateway_response> request);
    boost::asio::awaitable<void> run_connection(
        std::shared_ptr<node_connection> connection, std::string address);
    boost::asio::awaitable<void> collect_facts_loop();
    boost::asio::awaitable<void> feed_watchdog();
    boost::asio::awaitable<void> stop_when_idle();
    boost::asio::awaitable<void> finish_deleted();

    void apply_response(const gateway_response& response);
    void channel_lost();
    package_reporter::dependencies package_dependencies() const;
    task_manager::dependencies task_dependencies();
    void refresh_fact_cache();
    // Shows the error in the status. False if the status has the same error already.
    bool record_error(std::string error);
    void report_connection_end(
        const std::string& node, session::reason reason, const std::string& error);
    void write_status_file();

    agent_options options_;
    agent_resources resources_;
    dependencies deps_;
    driver life_cycle_;
    runtime::deadline_timer timer_;
    gateway_client gateway_;
    session::agent_facts facts_;
    facts present_facts_;
    std::string start_id_;
    state_action_reconciler state_actions_;
    package_reporter packages_;
    task_manager tasks_;
    std::shared_ptr<node_connection> connection_;
    agent_status status_;
    bool status_changed_ = false;  // by an effect
    runtime::async_event facts_requested_;
    runtime::async_event stopped_;
    bool needs_restart_ = false;
    bool attached_once_ = false;  // maintained for one-shot runs (`exit_when_idle`)
    runtime::task_group parts_;
};

}  // namespace muster::agent
