#pragma once

#include "core/placement/planner.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "sim/workloads/placement_invariants.h"
#include "sim/workloads/placement_server.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace muster::sim {

// A zone of servers with the roles driver and node, running the product's own code, and thousands
// of systems as weights of slots. They crash, stand still, are cut off, are stopped and started by
// an operator, drained and taken in again by an admin.
//
// At no instant do two of them act for one slot. Once it is quiet every slot is owned by a live
// node that serves and acts for it, and the load is even. What every single change of the topology
// must obey is in placement_invariants.
class placement_zone final : public workload {
public:
    struct options {
        std::int64_t servers = 5;
        std::int64_t systems = 5'000;
        std::chrono::seconds ttl{3};
        std::chrono::seconds disaster_timeout{15};
        std::int64_t moves_per_step = slot::count;
        std::int64_t drains_per_mille = 10;  // at each look of the admin, of each node
        std::int64_t zombies = 0;      // servers with the planted bug of acting without a lease
        std::int64_t miscounters = 0;  // those whose driver miscounts while somebody is away
    };

    explicit placement_zone(options options) : options_(options) {}

    std::set<engine_kind> needs() const override { return {engine_kind::metastore}; }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    void add_server(std::int64_t number);
    placement_server::options server_options(std::int64_t number);
    boost::asio::awaitable<void> observe(process& self, std::shared_ptr<metastore> metastore);
    void operate_later();
    void stop_one();
    void stopped(process& host, monotonic::duration pause);
    void look_later();
    void look_after_change();
    void look_at_who_acts();
    void check_pair(const std::string& name, const std::string& other);
    async<std::string> what_is_missing(std::shared_ptr<metastore> metastore);
    std::shared_ptr<placement_server> at(const std::string& name) const;

    options options_;
    cluster* cluster_ = nullptr;
    placement::weights weights_{};
    bool peers_reach_the_cut_off_ = false;
    runtime::logger log_{{.level = runtime::log_level::error}};
    std::optional<placement_invariants> invariants_;
    std::map<std::string, std::weak_ptr<placement_server>> servers_;
    std::set<std::string> stopping_;
    std::int64_t looks_ = 0;
    std::int64_t looks_at_two_tables_ = 0;
};

}  // namespace muster::sim
