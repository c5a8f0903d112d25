#pragma once

#include "adapters/bus/nats/jetstream.h"
#include "adapters/bus/nats/nats_client.h"
#include "adapters/bus/nats/reader.h"
#include "ports/bus.h"
#include "runtime/clock.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::nats {

// Reads a durable JetStream consumer. Not thread-safe, except as bus_consumer requires.
class consumer final : public bus_consumer {
public:
    static async<std::unique_ptr<bus_consumer>> open(
        nats_client& client, jetstream& api, consumer_options options);

    consumer(nats_client& client, jetstream& api, consumer_options options);
    consumer(const consumer&) = delete;
    consumer& operator=(const consumer&) = delete;
    ~consumer() override;

    async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) override;
    async<void> acknowledge(std::vector<std::uint64_t> sequences) override;

private:
    async<void> start();
    boost::asio::awaitable<void> perform(reader::next_step step, instant deadline);
    boost::asio::awaitable<void> check_consumer();
    async<void> confirm(reader::acknowledgement acknowledgement);
    void send_pull(std::size_t messages, instant expires_at);

    nats_client& client_;
    jetstream& api_;
    const std::string inbox_;
    const std::shared_ptr<reader> reader_;
    nats_client::listener_id delivery_listener_ = 0;
    nats_client::listener_id takeover_listener_ = 0;
    runtime::system_clock clock_;
};

}  // namespace muster::nats
