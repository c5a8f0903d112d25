#pragma once

#include "core/stream/feed.h"
#include "core/stream/message_log.h"
#include "ports/bus.h"
#include "ports/clock.h"

#include <memory>
#include <string>

namespace muster {

struct memory_bus_options {
    stream::message_log_limits stream = {
        .messages_max = 100'000,
        .bytes_max = std::size_t{64} << 20,
        .age_max = std::chrono::hours(24),
    };
    stream::feed_limits feed = {};
};

// The bus of a cluster of one process: core/stream behind a mutex. Messages are lost when the
// process ends, which is enough: there is no other process to notify.
//
// Thread-safe; has no thread. The clock must outlive it.
class memory_bus final : public bus {
public:
    explicit memory_bus(muster::clock& clock, memory_bus_options options = {});
    ~memory_bus() override;

    async<void> publish(stream::message message) override;
    async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) override;
    async<std::unique_ptr<bus_consumer>> consume(consumer_options options) override;
    async<void> delete_consumer(std::string name) override;
    async<void> ping() override;
    limit_hits hits() const override;

    class shared_stream;

private:
    std::shared_ptr<shared_stream> stream_;
};

}  // namespace muster
