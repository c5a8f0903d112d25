#pragma once

#include "ports/bus.h"
#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

// The steps that scenarios of the bus contract are made of. All take unavailable and timed_out as
// "try again" until their the timeout ends, and throw with a sentence then.
namespace muster::contract::steps {

inline constexpr std::chrono::seconds timeout = std::chrono::seconds(45);

// A numbered message of one subject, with an id so that trying again stores it once.
stream::message numbered(const std::string& subject, int number);
int number_of(const stream::message& message);

boost::asio::awaitable<void> publish(
    std::shared_ptr<bus> through, muster::clock& clock, stream::message message);

// Until it is answered.
boost::asio::awaitable<void> ping(std::shared_ptr<bus> through, muster::clock& clock);

// numbered(subject, 1) to numbered(subject, count), one after another.
boost::asio::awaitable<void> publish_many(
    std::shared_ptr<bus> through, muster::clock& clock, std::string subject, int count);

// Opens a live subscription and waits until it hears `probe_subject`.
boost::asio::awaitable<std::unique_ptr<bus_subscription>> listen(
    std::shared_ptr<bus> through,
    muster::clock& clock,
    std::string pattern,
    std::string probe_subject);

// The next message that is no probe.
boost::asio::awaitable<stream::message> hear(bus_subscription& from, muster::clock& clock);

boost::asio::awaitable<std::unique_ptr<bus_consumer>> consume(
    std::shared_ptr<bus> through, muster::clock& clock, consumer_options options);

// Deliveries, as soon as there are any; empty when none came within `wait`.
boost::asio::awaitable<std::vector<stream::delivery>> fetch(
    bus_consumer& from, muster::clock& clock, std::chrono::milliseconds wait = timeout);

boost::asio::awaitable<void> acknowledge(
    bus_consumer& at, muster::clock& clock, std::vector<std::uint64_t> sequences);

// Fetches and acknowledges until `count` different messages came; all hand-overs in order.
boost::asio::awaitable<std::vector<stream::delivery>> read_all(
    bus_consumer& from, muster::clock& clock, std::size_t count);

// "subject" and number, for comparing what came with what should have come.
std::vector<int> numbers_of(
    const std::vector<stream::delivery>& handed_over, const std::string& subject);

}  // namespace muster::contract::steps
