#pragma once

#include "adapters/bus/nats/nats_options.h"
#include "ports/bus.h"

#include <memory>
#include <string>

namespace muster {

// The bus of a cluster: a NATS JetStream stream, with NATS itself for live feeds.
//
// - Connects in the background and retries without end. While it is not connected, calls end with
//   unavailable or timed_out after nats::options::timeout. The first call that needs the stream
//   creates or updates it.
// - JetStream acknowledges before it syncs its disk: a message survives kill -9 of a server, but
//   power loss only with replicas. That is enough for notifications.
// - nats/reader.h keeps the order of subjects and the rule of one reader. So the successor of a
//   killed reader may wait up to `ack_wait` for its first message, if deliveries are
//   unacknowledged.
class nats_bus final : public bus {
public:
    // errc::invalid when the options are invalid. Never waits for a server.
    static result<std::unique_ptr<nats_bus>> open(nats::options options);

    ~nats_bus() override;

    async<void> publish(stream::message message) override;
    async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) override;
    async<std::unique_ptr<bus_consumer>> consume(consumer_options options) override;
    async<void> delete_consumer(std::string name) override;
    async<void> ping() override;
    limit_hits hits() const override;

    bool is_connected() const;

private:
    class impl;
    explicit nats_bus(std::unique_ptr<impl> impl);

    std::unique_ptr<impl> impl_;
};

}  // namespace muster
