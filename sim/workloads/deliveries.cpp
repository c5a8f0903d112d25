#include "sim/workloads/deliveries.h"

#include "sim/engines/bus.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::sim {

using namespace std::chrono_literals;

void deliveries::start(cluster& stage) {
    stage_ = &stage;
    for (std::int64_t i = 1; i <= options_.publishers; ++i) {
        add_client(stage, fmt::format("publishing{}", i), [this, &stage](process& self) {
            self.spawn("publish", publish(self, open_bus(stage, self, "bus")));
        });
    }
    for (std::int64_t i = 1; i <= options_.readers; ++i) {
        add_client(stage, fmt::format("reading{}", i), [this, &stage](process& self) {
            self.spawn("read", read(self, open_bus(stage, self, "bus")));
        });
    }
}

boost::asio::awaitable<void> deliveries::publish(process& self, std::shared_ptr<bus> through) {
    prng& random = self.where().random("publishing of " + self.name());
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    const std::string subject = "jobs." + self.name();
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random.below(2 * think));
        ignore_error(co_await self.clock().sleep_for(pause), "nobody cancels it");
        const std::int64_t number = acknowledged_[subject] + 1;
        stream::message message{
            .subject = subject,
            .payload = std::to_string(number),
            .id = fmt::format("{}-{}", self.name(), number)};
        const auto reserved = co_await through->publish(std::move(message));
        if (reserved) acknowledged_[subject] = number;
    }
}

boost::asio::awaitable<void> deliveries::read(process& self, std::shared_ptr<bus> through) {
    while (true) {
        const consumer_options options{.name = self.name(), .pattern = "jobs.>", .ack_wait = 5s};
        auto opened = co_await through->consume(options);
        if (opened) {
            co_await read_from(self, *std::move(opened));
        } else {
            ignore_error(co_await self.clock().sleep_for(100ms), "nobody cancels it");
        }
    }
}

boost::asio::awaitable<void> deliveries::read_from(
    process& self, std::unique_ptr<bus_consumer> from) {
    prng& random = self.where().random("reading of " + self.name());
    while (true) {
        const auto fetched = co_await from->fetch(1 + random.below(20), 1000ms);
        if (!fetched) {
            if (fetched.error().code() == errc::unavailable) continue;
            co_return;  // open it anew
        }
        std::vector<std::uint64_t> done;
        for (const auto& each : *fetched) {
            see(self, each);
            if (random.chance(990)) done.push_back(each.sequence);  // some are forgotten
        }
        if (done.empty()) continue;
        ignore_error(co_await from->acknowledge(std::move(done)), "then they come again");
    }
}

void deliveries::see(process& self, const stream::delivery& delivery) {
    reader_view& reader_view = views_[self.name()];
    const std::int64_t number = std::stoll(delivery.what.payload);
    std::int64_t& last = reader_view.last_seen[delivery.what.subject];
    if (number <= last) {
        ++reader_view.repeats;
    } else if (number == last + 1) {
        last = number;
    } else {
        self.where().violated(fmt::format(
            "{} got number {} of {} before number {}",
            self.name(),
            number,
            delivery.what.subject,
            last + 1));
    }
}

std::optional<std::string> deliveries::first_missing() {
    for (std::int64_t i = 1; i <= options_.readers; ++i) {
        const std::string name = fmt::format("reading{}", i);
        for (const auto& [subject, number] : acknowledged_) {
            const std::int64_t got = views_[name].last_seen[subject];
            if (got >= number) continue;
            return fmt::format(
                "{} got {} of {} acknowledged messages of {}", name, got, number, subject);
        }
    }
    return std::nullopt;
}

boost::asio::awaitable<void> deliveries::check_at_end(process& checker) {
    for (auto waited = 0s; waited < catch_up_time_max && first_missing(); waited += 1s) {
        ignore_error(co_await checker.clock().sleep_for(1s), "nobody cancels it");
    }
    const auto missing = first_missing();
    if (missing) checker.where().violated(*missing);

    const auto through = open_bus(*stage_, checker, "bus");
    const auto reserved = co_await through->publish({.subject = "end", .payload = {}, .id = "end"});
    if (!reserved)
        checker.where().violated("publishing at the end: " + to_string(reserved.error()));
}

std::string deliveries::summary() const {
    std::int64_t published = 0;
    std::int64_t repeats = 0;
    for (const auto& [subject, number] : acknowledged_) published += number;
    for (const auto& [name, each] : views_) repeats += each.repeats;
    return fmt::format("{} messages acknowledged, {} came again", published, repeats);
}

}  // namespace muster::sim
