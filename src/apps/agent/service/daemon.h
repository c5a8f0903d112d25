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

// The daemon: drives the agent's life (core/lifecycle/agent_state_machine) with requests, a
// channel, a scenario and a survey. Lives on one event loop.
//
// It composes the parts of the agent. They do not know each other: each tells the daemon through
// its listener, and the daemon passes on what concerns another part. The task manager gets what the
// connection reads about tasks and what the package reporter found out for them, and sees the
// machine's facts and packages as an inventory.
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

    daemon(agent_options options, agent_resources own, dependencies deps);
    daemon(const daemon&) = delete;
    daemon& operator=(const daemon&) = delete;
    ~daemon() override = default;

    // Until the cluster says Deleted or stop() is called.
    boost::asio::awaitable<void> run();
    void stop();
    // It was there for a while (`stay`) and reached nobody.
    bool visited_in_vain() const {
        return options_.stay > options_.stay.zero() && !visited_ && !life_->ended();
    }
    bool wants_restart() const { return wants_restart_; }  // from its program, a new one
    // Surveys the system now.
    void look_again();

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
    void execute(const lifecycle::ask_place& effect);
    void execute(const lifecycle::open_channel& effect);
    void execute(const lifecycle::close_channel& effect);
    void execute(const lifecycle::enter_state& effect);
    void execute(const lifecycle::stop_for_ever& effect);
    void settled();
    instant now() const { return deps_.clock.now(); }

    // node_connection_listener
    void attached(const attachment& attachment) override;
    void node_fenced() override;
    void facts_answered(const std::string& digest, bool desired) override;
    bool take_frame(const agent_protocol::Frame& frame) override { return work_.take(frame); }
    void read_done() override { work_.read_done(); }
    void measured(const session::round_trips& round_trips) override;

    // package_reporter_listener
    void package_facts_changed() override { take_survey(); }
    void packages_refreshed(session::task_name task, const result<std::string>& digest) override {
        work_.packages_refreshed(task, digest);
    }

    // task_manager_listener
    void restart_needed() override;
    void task_problem(const std::string& sentence) override { deps_.log.warning(sentence); }

    // machine_inventory
    const facts& present_facts() const override { return present_; }
    void refresh_packages(session::task_name task) override { packages_.refresh(task); }
    void packages_changed() override { packages_.look(); }

    void spawn_lasting(std::string name, std::function<boost::asio::awaitable<void>()> make);
    std::optional<instant> next_deadline() const override { return life_->next_deadline(); }
    void deadline_due() override;
    boost::asio::awaitable<void> ask(boost::asio::awaitable<entry_answer> question);
    boost::asio::awaitable<void> hold(
        std::shared_ptr<node_connection> channel, std::string address);
    boost::asio::awaitable<void> survey_again();
    boost::asio::awaitable<void> feed_watchdog();
    boost::asio::awaitable<void> leave_when_idle();
    boost::asio::awaitable<void> end_for_ever();

    void take(const entry_answer& entry_answer);
    void channel_lost();
    package_reporter::dependencies package_dependencies() const;
    task_manager::dependencies task_dependencies();
    void take_survey();
    void say_trouble(const std::string& text);
    void note_status();

    agent_options options_;
    agent_resources own_;
    dependencies deps_;
    driver life_;
    runtime::deadline_timer timer_;
    gateway_client entry_;
    session::agent_facts facts_;
    facts present_;
    std::string start_;
    state_action_reconciler scenario_;
    package_reporter packages_;
    task_manager work_;
    std::shared_ptr<node_connection> channel_;
    agent_status status_;
    bool status_changed_ = false;  // by an effect
    runtime::async_event survey_wanted_;
    runtime::async_event over_;
    bool wants_restart_ = false;
    bool visited_ = false;  // it was attached once, with `stay`
    runtime::task_group tasks_;
};

}  // namespace muster::agent
