#pragma once

#include "ports/bus.h"
#include "sim/workloads/workload.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace muster::sim {

// Publishers number their messages, each on a subject of its own; durable consumers read them all.
// Every acknowledged message reaches every consumer at least once, and for the first time in its
// order. A publisher that is in doubt publishes the same id again, so nothing is left out.
class deliveries final : public workload {
public:
    struct options {
        std::int64_t publishers = 3;
        std::int64_t readers = 2;
        std::chrono::milliseconds think{200};
    };

    // Once there is peace, readers must have caught up by then.
    static constexpr auto catch_up_time_max = std::chrono::minutes(5);

    explicit deliveries(options options) : options_(options) {}

    std::set<engine_kind> needs() const override { return {engine_kind::bus}; }
    void start(sim::cluster& cluster) override;
    boost::asio::awaitable<void> check_at_end(process& checker) override;
    std::string summary() const override;

private:
    struct reader_view {
        std::map<std::string, std::int64_t> last_seen;  // by subject: the highest number so far
        std::int64_t repeats = 0;
    };

    boost::asio::awaitable<void> publish(process& self, std::shared_ptr<muster::bus> bus);
    boost::asio::awaitable<void> read(process& self, std::shared_ptr<muster::bus> bus);
    boost::asio::awaitable<void> read_from(process& self, std::unique_ptr<bus_consumer> consumer);
    void check_delivery(process& self, const stream::delivery& delivery);
    std::optional<std::string> first_missing();

    options options_;
    cluster* cluster_ = nullptr;
    std::map<std::string, std::int64_t> acknowledged_;  // by subject: all up to this number
    std::map<std::string, reader_view> views_;
};

}  // namespace muster::sim
