#include "ports/contract/bus_scenarios.h"
#include "ports/contract/bus_steps.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

namespace muster::contract::scenarios {

using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;

namespace {

// No call may keep its caller longer than this, whatever happened to the engine.
constexpr auto call_time_max = 15s;

// After a crash messages may be repeated, but each must come for the first time in its order.
std::vector<int> first_times(const std::vector<int>& numbers) {
    std::vector<int> firsts;
    std::set<int> observed;
    for (const int number : numbers) {
        if (observed.insert(number).second) firsts.push_back(number);
    }
    return firsts;
}

void check_complete(const std::vector<int>& numbers, int count) {
    const auto firsts = first_times(numbers);
    CHECK(firsts.size() == static_cast<std::size_t>(count));
    CHECK(std::ranges::is_sorted(firsts));
}

awaitable<void> lose_the_engine(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    ignore_error(co_await clock.sleep_for(30ms), "only a pause");
    co_await fixture.kill_engine();
    ignore_error(co_await clock.sleep_for(200ms), "only a pause");
    co_await fixture.restart_engine();
}

awaitable<void> change_the_leader(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    ignore_error(co_await clock.sleep_for(100ms), "only a pause");
    co_await fixture.change_leader();
}

void check_passing(const error& failure) {
    const bool passing = failure.code() == errc::unavailable || failure.code() == errc::timed_out;
    CHECK_MESSAGE(passing, to_string(failure));
}

}  // namespace

awaitable<void> acknowledged_survives_the_engine(bus_fixture& fixture) {
    constexpr int messages = 150;
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();

    co_await (
        steps::publish_many(through, clock, word + ".a", messages)
        && steps::publish_many(through, clock, word + ".b", messages) && lose_the_engine(fixture));

    const consumer_options options{.name = word, .pattern = word + ".>", .ack_wait = 2000ms};
    const auto reader = co_await steps::consume(through, clock, options);
    const auto came = co_await steps::read_all(*reader, clock, std::size_t{2} * messages);
    check_complete(steps::numbers_of(came, word + ".a"), messages);
    check_complete(steps::numbers_of(came, word + ".b"), messages);
}

awaitable<void> a_reader_survives_the_engine(bus_fixture& fixture) {
    constexpr int messages = 100;
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const consumer_options options{.name = word, .pattern = word + ".>", .ack_wait = 1000ms};
    const auto reader = co_await steps::consume(through, clock, options);

    const auto came = co_await (
        steps::publish_many(through, clock, word + ".a", messages) && lose_the_engine(fixture)
        && steps::read_all(*reader, clock, messages));

    check_complete(steps::numbers_of(came, word + ".a"), messages);
}

awaitable<void> a_cut_link_is_told_in_time(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const consumer_options options{.name = word, .pattern = word + ".>", .ack_wait = 1000ms};
    const auto reader = co_await steps::consume(through, clock, options);
    const auto live = co_await steps::listen(through, clock, word + ".live", word + ".live");

    co_await fixture.cut_link();
    auto asked_at = clock.now();
    const auto sent = co_await through->publish(steps::numbered(word + ".a", 1));
    CHECK(clock.now() - asked_at < call_time_max);
    REQUIRE(!sent);
    check_passing(sent.error());

    asked_at = clock.now();
    const auto fetched = co_await reader->fetch(1, 500ms);
    CHECK(clock.now() - asked_at < call_time_max);
    if (fetched) {
        CHECK(fetched->empty());
    } else {
        check_passing(fetched.error());
    }

    asked_at = clock.now();
    const auto opened = co_await through->consume({.name = word + "-2", .pattern = word + ".>"});
    CHECK(clock.now() - asked_at < call_time_max);
    REQUIRE(!opened);
    check_passing(opened.error());

    co_await fixture.heal_link();
    co_await steps::publish(through, clock, steps::numbered(word + ".b", 1));
    std::vector<int> numbers;
    while (numbers.empty()) {
        const auto came = co_await steps::read_all(*reader, clock, 1);
        numbers = steps::numbers_of(came, word + ".b");
    }
    CHECK(numbers == std::vector{1});
    stream::message again{.subject = word + ".live", .payload = "again", .id = {}};
    co_await steps::publish(through, clock, again);
    const auto message = co_await steps::hear(*live, clock);
    CHECK(message.payload == "again");
}

awaitable<void> a_ping_tells_of_a_cut_link(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto through = fixture.open();
    co_await steps::ping(through, clock);

    co_await fixture.cut_link();
    const auto asked_at = clock.now();
    const auto silence = co_await through->ping();
    CHECK(clock.now() - asked_at < call_time_max);
    REQUIRE(!silence);
    CHECK_MESSAGE(silence.error().code() == errc::unavailable, to_string(silence.error()));

    co_await fixture.heal_link();
    co_await steps::ping(through, clock);
}

awaitable<void> order_holds_over_a_cut_link(bus_fixture& fixture) {
    constexpr int messages = 200;
    auto& clock = fixture.where().clock();
    const auto subject = fixture.fresh_word() + ".a";
    const auto through = fixture.open();
    const consumer_options options{
        .name = fixture.fresh_word(), .pattern = subject, .ack_wait = 1000ms};
    co_await steps::publish_many(through, clock, subject, messages);
    const auto reader = co_await steps::consume(through, clock, options);
    auto handed_over = co_await steps::read_all(*reader, clock, 5);

    for (int cuts = 0; cuts < 3; ++cuts) {
        // One delivery is out, and others are on their way, when the link breaks.
        const auto out = co_await steps::fetch(*reader, clock);
        REQUIRE(out.size() == 1);
        handed_over.push_back(out[0]);
        co_await fixture.cut_link();
        ignore_error(co_await reader->fetch(10, 100ms), "the link is cut");
        co_await fixture.heal_link();
        const auto more = co_await steps::read_all(*reader, clock, 20);
        handed_over.insert(handed_over.end(), more.begin(), more.end());
    }

    const auto numbers = steps::numbers_of(handed_over, subject);
    CHECK(std::ranges::is_sorted(numbers));
    CHECK(first_times(numbers).back() == static_cast<int>(first_times(numbers).size()));
}

awaitable<void> a_leader_change_loses_nothing(bus_fixture& fixture) {
    constexpr int messages = 200;
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const consumer_options options{.name = word, .pattern = word + ".>", .ack_wait = 2000ms};
    const auto reader = co_await steps::consume(through, clock, options);

    const auto came = co_await (
        steps::publish_many(through, clock, word + ".a", messages)
        && steps::publish_many(through, clock, word + ".b", messages) && change_the_leader(fixture)
        && steps::read_all(*reader, clock, std::size_t{2} * messages));

    check_complete(steps::numbers_of(came, word + ".a"), messages);
    check_complete(steps::numbers_of(came, word + ".b"), messages);
}

}  // namespace muster::contract::scenarios
