#pragma once

#include "ports/metastore.h"
#include "sim/workloads/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace muster::sim {

// Processes that list the counters and then watch them. Since counters grow by one, each watcher
// must see every value in turn: none missing, none twice. In the end all see what the store holds.
class watchers final : public workload {
public:
    explicit watchers(std::int64_t clients) : client_count_(clients) {}

    std::set<engine_kind> needs() const override { return {engine_kind::metastore}; }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    using view = std::map<std::string, std::int64_t>;

    boost::asio::awaitable<void> follow(process& self, std::shared_ptr<metastore> metastore);
    boost::asio::awaitable<void> follow_from(
        process& self, std::shared_ptr<metastore> metastore, kv::revision from);
    void check_batch(process& self, const kv::change_batch& batch);

    std::int64_t client_count_;
    cluster* cluster_ = nullptr;
    std::map<std::string, view> views_;
    std::map<std::string, kv::revision> seen_up_to_;
    std::int64_t changes_seen_ = 0;
    std::int64_t listings_ = 0;
};

}  // namespace muster::sim
