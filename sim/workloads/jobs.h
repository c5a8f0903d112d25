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
    void start(cluster& stage) override;
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
    void look_at_counts();
    void trouble_agents_later();
    void trouble_an_agent();

    async<std::string> what_is_missing(jobs::job_store& records);
    std::string what_is_held() const;
    async<void> check_payloads(jobs::job_store& records);
    async<void> check_boards(process& checker);

    options options_;
    cluster* stage_ = nullptr;
    runtime::logger log_{{.level = runtime::log_level::error}};
    std::vector<job_kind> kinds_;
    std::vector<system_record> fleet_;
    placement::weights weights_{};  // of slots, by the systems in them
    std::optional<jobs_invariants> rules_;
    bool set_up_ = false;
    std::map<std::string, std::weak_ptr<jobs_server>> servers_;
    std::map<std::string, std::weak_ptr<jobs_agent>> agents_;
    std::map<job_id, recorded_job> recorded_;  // at the end
    std::int64_t made_ = 0;
    std::int64_t deeds_ = 0;
    std::int64_t looks_ = 0;
};

}  // namespace muster::sim
