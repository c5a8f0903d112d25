#pragma once

#include "adapters/bus/nats/jetstream.h"
#include "adapters/bus/nats/link.h"
#include "adapters/bus/nats/reader.h"
#include "ports/bus.h"
#include "runtime/clock.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::nats {

class consumer final : public bus_consumer {
public:
    static async<std::unique_ptr<bus_consumer>> open(
        link& over, jetstream& api, consumer_options options);

    consumer(link& over, jetstream& api, consumer_options options);
    consumer(const consumer&) = delete;
    consumer& operator=(const consumer&) = delete;
    ~consumer() override;

    async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) override;
    async<void> acknowledge(std::vector<std::uint64_t> sequences) override;

private:
    async<void> begin();
    boost::asio::awaitable<void> follow(reader::advice next, instant give_up_at);
    boost::asio::awaitable<void> look();
    async<void> settle(reader::acknowledgement acknowledgement);
    void ask(std::size_t messages, instant until);

    link& link_;
    jetstream& api_;
    const std::string inbox_;
    const std::shared_ptr<reader> reader_;
    link::listener_id deliveries_ = 0;
    link::listener_id announcements_ = 0;
    runtime::system_clock clock_;
};

}  // namespace muster::nats
