#pragma once

#include "ports/metastore.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace muster::sim {

// Clients add one to counters by compare-and-set. A counter is never less than the increments that
// were acknowledged before it was read, and never more than those that may have been made.
class counters final : public workload {
public:
    struct options {
        std::int64_t clients = 5;
        std::int64_t counters = 3;
        std::chrono::milliseconds think{200};
    };
    static constexpr const char* prefix = "counters/";

    explicit counters(options options) : options_(options) {}

    std::set<engine_kind> needs() const override { return {engine_kind::metastore}; }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    struct tally {
        std::int64_t attempted = 0;     // increments sent off
        std::int64_t rejected = 0;      // of those: surely not made
        std::int64_t acknowledged = 0;  // of those: surely made
    };

    boost::asio::awaitable<void> increment_for_ever(
        process& self, std::shared_ptr<metastore> metastore);
    boost::asio::awaitable<void> increment(
        process& self, std::shared_ptr<metastore> metastore, std::string key);
    void check_value(
        sim::simulation& simulation,
        const std::string& key,
        std::int64_t value,
        std::int64_t least);

    options options_;
    cluster* cluster_ = nullptr;
    std::map<std::string, tally> tallies_;
};

}  // namespace muster::sim
