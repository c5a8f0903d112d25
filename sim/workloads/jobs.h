#pragma once

#include "runtime/log.h"
#include "sim/workloads/jobs_agent.h"
#include "sim/workloads/jobs_invariants.h"
#include "sim/workloads/jobs_kinds.h"
#include "sim/workloads/jobs_server.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::sim {

// A small cluster that runs many jobs at once on a small fleet, with the product's own code on both
// ends: servers that place systems, share out limits, send tasks and bring returns on record, and
// agents that journal, run and report. Operators make, pause, resume, cancel and release jobs
// through any server; slots move; agents lose power and links.
//
// What must hold at every step is in jobs_invariants. Once it is quiet, every job has ended, every
// target stands in one last state, every return is acknowledged, no server has a task in flight or
// remembers an ended job, and every server counts what a plain count of the ledger gives.
class jobs_workload final : public workload {
public:
    struct options {
        std::int64_t servers = 3;
        std::int64_t systems = 20;
        std::chrono::milliseconds think{4'000};          // between an operator's deeds
        std::chrono::milliseconds agent_trouble{1'500};  // between mishaps of agents
        std::chrono::seconds ttl{3};
        std::chrono::seconds disaster_timeout{10};
        std::int64_t places = 3;     // what an agent runs at once
        std::int64_t forgetful = 0;  // agents with the planted bug of not syncing their journal
        std::int64_t hasty = 0;      // servers that acknowledge before they record
    };

    explicit jobs_workload(options options) : options_(options) {}

    std::set<engine_kind> needs() const override {
        return {engine_kind::metastore, engine_kind::ledger};
    }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    void add_admin();
    void add_observer();
    void add_server(std::int64_t number);
    void add_agent(std::int64_t number);
    jobs_server::options server_options(std::int64_t number);

    boost::asio::awaitable<void> set_up(process& self);
    async<void> set_up_once(process& self, std::shared_ptr<ledger> ledger);
    boost::asio::awaitable<void> serve(process& self, std::int64_t number);
    boost::asio::awaitable<void> observe(process& self, std::shared_ptr<ledger> ledger);
    void check_counts_later();
    void schedule_agent_fault();
    void inject_agent_fault();

    async<std::string> find_unfinished(jobs::job_store& store);
    std::string find_in_flight() const;
    async<void> check_payloads(jobs::job_store& store);
    async<void> check_task_states(process& checker);

    options options_;
    cluster* cluster_ = nullptr;
    runtime::logger log_{{.level = runtime::log_level::error}};
    std::vector<job_kind> kinds_;
    std::vector<system_record> fleet_;
    placement::weights weights_{};  // of slots, by the systems in them
    std::optional<jobs_invariants> invariants_;
    bool set_up_ = false;
    std::map<std::string, std::weak_ptr<jobs_server>> servers_;
    std::map<std::string, std::weak_ptr<jobs_agent>> agents_;
    std::map<job_id, recorded_job> recorded_;  // at the end
    std::int64_t created_ = 0;
    std::int64_t actions_ = 0;
    std::int64_t count_checks_ = 0;
};

}  // namespace muster::sim
