#include "ports/contract/bus_steps.h"

#include "ports/deadline.h"

#include <set>
#include <stdexcept>
#include <utility>

namespace muster::contract::steps {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {

constexpr auto pause = 50ms;
constexpr auto probe_payload = "probe";

// True when it is worth trying again; throws when it is not.
bool worth_another_try(const error& failure, instant now, instant give_up_at) {
    const bool passing = failure.code() == errc::unavailable || failure.code() == errc::timed_out;
    if (!passing || now >= give_up_at) throw std::runtime_error(to_string(failure));
    return true;
}

}  // namespace

stream::message numbered(const std::string& subject, int number) {
    const auto text = std::to_string(number);
    return {.subject = subject, .payload = text, .id = subject + "#" + text};
}

int number_of(const stream::message& message) {
    return std::stoi(message.payload);
}

awaitable<void> publish(
    std::shared_ptr<bus> through, muster::clock& clock, stream::message message) {
    const auto give_up_at = clock.now() + timeout;
    for (;;) {
        const auto sent = co_await through->publish(message);
        if (sent) co_return;
        worth_another_try(sent.error(), clock.now(), give_up_at);
        ignore_error(co_await clock.sleep_for(pause), "only a pause");
    }
}

awaitable<void> ping(std::shared_ptr<bus> through, muster::clock& clock) {
    const auto give_up_at = clock.now() + timeout;
    for (;;) {
        const auto answer = co_await through->ping();
        if (answer) co_return;
        worth_another_try(answer.error(), clock.now(), give_up_at);
        ignore_error(co_await clock.sleep_for(pause), "only a pause");
    }
}

awaitable<void> publish_many(
    std::shared_ptr<bus> through, muster::clock& clock, std::string subject, int count) {
    for (int number = 1; number <= count; ++number)
        co_await publish(through, clock, numbered(subject, number));
}

awaitable<std::unique_ptr<bus_subscription>> listen(
    std::shared_ptr<bus> through,
    muster::clock& clock,
    std::string pattern,
    std::string probe_subject) {
    const auto give_up_at = clock.now() + timeout;
    std::unique_ptr<bus_subscription> opened;
    while (!opened) {
        auto outcome = co_await through->subscribe(pattern);
        if (outcome) {
            opened = std::move(*outcome);
        } else {
            worth_another_try(outcome.error(), clock.now(), give_up_at);
            ignore_error(co_await clock.sleep_for(pause), "only a pause");
        }
    }
    for (;;) {
        stream::message probe{.subject = probe_subject, .payload = probe_payload, .id = {}};
        co_await publish(through, clock, std::move(probe));
        const auto message = co_await within(clock, 200ms, opened->next());
        if (message) co_return opened;
        worth_another_try(message.error(), clock.now(), give_up_at);
    }
}

awaitable<stream::message> hear(bus_subscription& from, muster::clock& clock) {
    const auto give_up_at = clock.now() + timeout;
    for (;;) {
        auto message = co_await within(clock, give_up_at - clock.now(), from.next());
        if (!message) {
            worth_another_try(message.error(), clock.now(), give_up_at);
        } else if (message->payload != probe_payload) {
            co_return std::move(*message);
        }
    }
}

awaitable<std::unique_ptr<bus_consumer>> consume(
    std::shared_ptr<bus> through, muster::clock& clock, consumer_options options) {
    const auto give_up_at = clock.now() + timeout;
    for (;;) {
        auto opened = co_await through->consume(options);
        if (opened) co_return std::move(*opened);
        worth_another_try(opened.error(), clock.now(), give_up_at);
        ignore_error(co_await clock.sleep_for(pause), "only a pause");
    }
}

awaitable<std::vector<stream::delivery>> fetch(
    bus_consumer& from, muster::clock& clock, std::chrono::milliseconds wait) {
    const auto give_up_at = clock.now() + wait;
    while (clock.now() < give_up_at) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up_at - clock.now());
        auto fetched =
            co_await from.fetch(stream::limits::fetch_messages_max, std::min(left, 5000ms));
        if (fetched && !fetched->empty()) co_return std::move(*fetched);
        if (fetched) continue;
        const auto code = fetched.error().code();
        const bool passing = code == errc::unavailable || code == errc::timed_out;
        if (!passing) throw std::runtime_error(to_string(fetched.error()));
        ignore_error(co_await clock.sleep_for(pause), "only a pause");
    }
    co_return std::vector<stream::delivery>{};
}

awaitable<void> acknowledge(
    bus_consumer& at, muster::clock& clock, std::vector<std::uint64_t> sequences) {
    const auto give_up_at = clock.now() + timeout;
    for (;;) {
        const auto done = co_await at.acknowledge(sequences);
        if (done) co_return;
        worth_another_try(done.error(), clock.now(), give_up_at);
        ignore_error(co_await clock.sleep_for(pause), "only a pause");
    }
}

awaitable<std::vector<stream::delivery>> read_all(
    bus_consumer& from, muster::clock& clock, std::size_t count) {
    std::vector<stream::delivery> handed_over;
    std::set<std::uint64_t> observed;
    while (observed.size() < count) {
        auto deliveries = co_await fetch(from, clock);
        if (deliveries.empty()) {
            throw std::runtime_error(
                "only " + std::to_string(observed.size()) + " of " + std::to_string(count)
                + " messages came");
        }
        std::vector<std::uint64_t> sequences;
        for (auto& delivery : deliveries) {
            sequences.push_back(delivery.sequence);
            observed.insert(delivery.sequence);
            handed_over.push_back(std::move(delivery));
        }
        co_await acknowledge(from, clock, std::move(sequences));
    }
    co_return handed_over;
}

std::vector<int> numbers_of(
    const std::vector<stream::delivery>& handed_over, const std::string& subject) {
    std::vector<int> numbers;
    for (const auto& one : handed_over) {
        if (one.message.subject == subject) numbers.push_back(number_of(one.message));
    }
    return numbers;
}

}  // namespace muster::contract::steps
