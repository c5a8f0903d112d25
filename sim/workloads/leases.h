#pragma once

#include "ports/metastore.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace muster::sim {

// Processes compete for one key that is held under a lease, and the holder writes. By the store's
// own order there is never a second holder, and never a write by one who does not hold the key. A
// holder whose lease was kept alive has the key for the lease's time at least.
class leases final : public workload {
public:
    struct options {
        std::int64_t clients = 3;
        std::chrono::seconds ttl{3};
    };

    explicit leases(options options) : options_(options) {}

    std::set<engine_kind> needs() const override { return {engine_kind::metastore}; }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    boost::asio::awaitable<void> compete(process& self, std::shared_ptr<metastore> metastore);
    boost::asio::awaitable<void> hold(
        process& self,
        std::shared_ptr<metastore> metastore,
        kv::lease_id lease,
        std::string holder_id);
    boost::asio::awaitable<bool> work(
        process& self,
        std::shared_ptr<metastore> metastore,
        std::string holder_id,
        instant held_until);
    boost::asio::awaitable<void> observe(process& self, std::shared_ptr<metastore> metastore);
    void check_change(sim::simulation& simulation, const kv::change& change);

    options options_;
    cluster* cluster_ = nullptr;
    std::int64_t claims_ = 0;
    std::int64_t terms_seen_ = 0;
    std::int64_t writes_seen_ = 0;
    std::optional<std::string> holder_;  // by the store's order
};

}  // namespace muster::sim
