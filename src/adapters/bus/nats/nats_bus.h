#pragma once

#include "adapters/bus/nats/nats_options.h"
#include "ports/bus.h"

#include <memory>
#include <string>

namespace muster {

// The bus of a cluster: a NATS JetStream stream, with NATS itself for live feeds.
//
// - Connects in the background and for ever: until then, and whenever the connection is lost, calls
//   end with unavailable or timed_out after nats::options::timeout. The stream is made or updated
//   with the first call that needs it.
// - JetStream acknowledges before its disk does: a message survives kill -9 of a server, but power
//   loss only with replicas. The bus is a doorbell, so that is enough.
// - Order of subjects and the rule of one reader are kept on this side (nats/reader.h); a reader
//   that follows one killed without notice may therefore wait up to `ack_wait` for its first
//   message when the other left deliveries unacknowledged.
class nats_bus final : public bus {
public:
    // errc::invalid when the options are; never waits for a server.
    static result<std::unique_ptr<nats_bus>> open(nats::options options);

    ~nats_bus() override;

    async<void> publish(stream::message message) override;
    async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) override;
    async<std::unique_ptr<bus_consumer>> consume(consumer_options options) override;
    async<void> forget_consumer(std::string name) override;
    async<void> ping() override;
    limit_hits hits() const override;

    bool connected() const;

private:
    class impl;
    explicit nats_bus(std::unique_ptr<impl> impl);

    std::unique_ptr<impl> impl_;
};

}  // namespace muster
