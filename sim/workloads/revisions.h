#pragma once

#include "runtime/log.h"
#include "sim/workloads/revisions_invariants.h"
#include "sim/workloads/revisions_server.h"
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

// Several servers edit the same common data: people begin sessions, draft, drop, discard and apply
// on whichever server leads, and change things without a session on any of them. The servers run
// the product's own code.
//
// No leader writes after a later one has; no revision is lost, changed or applied twice; what a
// revision holds is what its changes say; a drafted change that was acknowledged is in the draft or
// in a revision until somebody drops it; and once it is quiet every server holds the newest one.
class revisions final : public workload {
public:
    struct options {
        std::int64_t servers = 3;
        std::int64_t groups = 4;
        std::chrono::milliseconds think{1'500};
        std::chrono::seconds ttl{3};
        std::int64_t janitors = 0;  // 1: somebody takes drafted changes for leftovers
    };

    explicit revisions(options options) : options_(options) {}

    std::set<engine_kind> needs() const override {
        return {engine_kind::metastore, engine_kind::ledger};
    }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    using server = std::shared_ptr<revisions_server>;
    using claim = revision::edit_lock::claim;
    struct session {
        std::string edit;
        std::map<std::string, std::int64_t> drafted;  // changes, by number
    };

    boost::asio::awaitable<void> run_operator(process& self, server target);
    async<void> run_action(process& self, server target);
    async<void> change_directly(process& self, server target);
    async<void> edit(process& self, server target);
    async<void> begin(server target, claim leadership);
    async<void> draft(process& self, server target, claim leadership, std::string edit);
    async<void> drop(process& self, server target, claim leadership, std::string edit);
    async<void> continue_session(process& self, server target, claim leadership, std::string edit);
    boost::asio::awaitable<void> observe(process& self, std::shared_ptr<metastore> metastore);
    boost::asio::awaitable<void> tidy_wrongly(process& self, std::shared_ptr<metastore> metastore);

    async<std::string> what_is_unsettled(std::shared_ptr<metastore> metastore);
    async<void> check_record(std::shared_ptr<metastore> metastore, std::shared_ptr<ledger> ledger);
    named_value next_value(process& self);
    void forget(const std::string& edit);

    options options_;
    cluster* cluster_ = nullptr;
    runtime::logger log_{{.level = runtime::log_level::error}};
    std::optional<revisions_invariants> invariants_;
    std::map<std::string, std::weak_ptr<revisions_server>> servers_;
    std::vector<session> sessions_;  // as the people know them, whichever server leads
    std::int64_t values_ = 0;
    std::int64_t actions_ = 0;
    std::int64_t refused_ = 0;
    std::int64_t applied_ = 0;
};

}  // namespace muster::sim
