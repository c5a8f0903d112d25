#include "sim/workloads/deliveries.h"

#include "sim/engines/bus.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::sim {

using namespace std::chrono_literals;

void deliveries::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    for (std::int64_t i = 1; i <= options_.publishers; ++i) {
        add_client(cluster, fmt::format("publishing{}", i), [this, &cluster](process& self) {
            self.spawn("publish", publish(self, open_bus(cluster, self, "bus")));
        });
    }
    for (std::int64_t i = 1; i <= options_.readers; ++i) {
        add_client(cluster, fmt::format("reading{}", i), [this, &cluster](process& self) {
            self.spawn("read", read(self, open_bus(cluster, self, "bus")));
        });
    }
}

boost::asio::awaitable<void> deliveries::publish(process& self, std::shared_ptr<muster::bus> bus) {
    prng& random = self.simulation().random("publishing of " + self.name());
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    const std::string subject = "jobs." + self.name();
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random.below(2 * think));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
        const std::int64_t number = acknowledged_[subject] + 1;
        stream::message message{
            .subject = subject,
            .payload = std::to_string(number),
            .id = fmt::format("{}-{}", self.name(), number)};
        const auto published_last = co_await bus->publish(std::move(message));
        if (published_last) acknowledged_[subject] = number;
    }
}

boost::asio::awaitable<void> deliveries::read(process& self, std::shared_ptr<muster::bus> bus) {
    while (true) {
        const consumer_options options{.name = self.name(), .pattern = "jobs.>", .ack_wait = 5s};
        auto opened = co_await bus->consume(options);
        if (opened) {
            co_await read_from(self, *std::move(opened));
        } else {
            ignore_error(co_await self.clock().sleep_for(100ms), "never cancelled");
        }
    }
}

boost::asio::awaitable<void> deliveries::read_from(
    process& self, std::unique_ptr<bus_consumer> consumer) {
    prng& random = self.simulation().random("reading of " + self.name());
    while (true) {
        const auto fetched = co_await consumer->fetch(1 + random.below(20), 1000ms);
        if (!fetched) {
            if (fetched.error().code() == errc::unavailable) continue;
            co_return;  // open it anew
        }
        std::vector<std::uint64_t> acknowledged;
        for (const auto& delivery : *fetched) {
            check_delivery(self, delivery);
            if (random.chance(990))
                acknowledged.push_back(delivery.sequence);  // some are forgotten
        }
        if (acknowledged.empty()) continue;
        ignore_error(
            co_await consumer->acknowledge(std::move(acknowledged)),
            "the messages are redelivered");
    }
}

void deliveries::check_delivery(process& self, const stream::delivery& delivery) {
    reader_view& reader_view = views_[self.name()];
    const std::int64_t number = std::stoll(delivery.message.payload);
    std::int64_t& last = reader_view.last_seen[delivery.message.subject];
    if (number <= last) {
        ++reader_view.repeats;
    } else if (number == last + 1) {
        last = number;
    } else {
        self.simulation().violated(fmt::format(
            "{} received number {} of {} before number {}",
            self.name(),
            number,
            delivery.message.subject,
            last + 1));
    }
}

std::optional<std::string> deliveries::first_missing() {
    for (std::int64_t i = 1; i <= options_.readers; ++i) {
        const std::string name = fmt::format("reading{}", i);
        for (const auto& [subject, number] : acknowledged_) {
            const std::int64_t last_seen = views_[name].last_seen[subject];
            if (last_seen >= number) continue;
            return fmt::format(
                "{} received {} of {} acknowledged messages of {}",
                name,
                last_seen,
                number,
                subject);
        }
    }
    return std::nullopt;
}

boost::asio::awaitable<void> deliveries::check_at_end(process& checker) {
    for (auto waited = 0s; waited < catch_up_time_max && first_missing(); waited += 1s) {
        ignore_error(co_await checker.clock().sleep_for(1s), "never cancelled");
    }
    const auto missing = first_missing();
    if (missing) checker.simulation().violated(*missing);

    const auto bus = open_bus(*cluster_, checker, "bus");
    const auto published_last =
        co_await bus->publish({.subject = "end", .payload = {}, .id = "end"});
    if (!published_last)
        checker.simulation().violated(
            "publishing at the end: " + to_string(published_last.error()));
}

std::string deliveries::summary() const {
    std::int64_t published = 0;
    std::int64_t repeats = 0;
    for (const auto& [subject, number] : acknowledged_) published += number;
    for (const auto& [name, delivery] : views_) repeats += delivery.repeats;
    return fmt::format("{} messages acknowledged, {} redelivered", published, repeats);
}

}  // namespace muster::sim
