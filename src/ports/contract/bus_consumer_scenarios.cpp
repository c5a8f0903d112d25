#include "ports/contract/bus_scenarios.h"
#include "ports/contract/bus_steps.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace muster::contract::scenarios {

using namespace std::chrono_literals;

namespace {

std::vector<int> one_to(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
}

}  // namespace

awaitable<void> a_new_consumer_starts_at_the_oldest(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto publisher = fixture.open();
    const auto through = fixture.open();

    co_await steps::publish_many(publisher, clock, word + ".a", 5);
    co_await steps::publish_many(publisher, clock, word + ".b", 2);
    const auto reader =
        co_await steps::consume(through, clock, {.name = word, .pattern = word + ".*"});
    co_await steps::publish(publisher, clock, steps::numbered(word + ".c.not_asked_for", 1));
    co_await steps::publish(publisher, clock, steps::numbered(word + ".b", 3));

    const auto came = co_await steps::read_all(*reader, clock, 8);
    CHECK(steps::numbers_of(came, word + ".a") == one_to(5));
    CHECK(steps::numbers_of(came, word + ".b") == one_to(3));
    CHECK(came[0].message == steps::numbered(word + ".a", 1));
    CHECK(came.size() == 8);
}

awaitable<void> a_consumer_outlives_its_reader(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto subject = fixture.fresh_word() + ".a";
    const consumer_options options{.name = fixture.fresh_word(), .pattern = subject};
    const auto publisher = fixture.open();
    co_await steps::publish_many(publisher, clock, subject, 6);

    {
        const auto through = fixture.open();
        const auto reader = co_await steps::consume(through, clock, options);
        const auto came = co_await steps::read_all(*reader, clock, 3);
        CHECK(steps::numbers_of(came, subject) == one_to(3));
    }
    const auto through = fixture.open();
    const auto reader = co_await steps::consume(through, clock, options);

    const auto came = co_await steps::read_all(*reader, clock, 3);
    CHECK(steps::numbers_of(came, subject) == std::vector{4, 5, 6});
}

awaitable<void> unacknowledged_comes_again(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    co_await steps::publish(through, clock, steps::numbered(word + ".kept", 1));
    const consumer_options options{.name = word, .pattern = word + ".>", .ack_wait = 500ms};
    const auto reader = co_await steps::consume(through, clock, options);

    const auto first = co_await steps::fetch(*reader, clock);
    REQUIRE(first.size() == 1);
    const auto out_since = clock.now();
    const auto second = co_await steps::fetch(*reader, clock);
    REQUIRE(second.size() == 1);
    CHECK(second[0].message == first[0].message);
    CHECK(second[0].sequence == first[0].sequence);
    CHECK(second[0].attempt > first[0].attempt);
    CHECK(clock.now() - out_since > 300ms);

    co_await steps::acknowledge(*reader, clock, {second[0].sequence});
    const auto third = co_await steps::fetch(*reader, clock, 1200ms);
    CHECK(third.empty());
}

awaitable<void> one_message_of_a_subject_is_out(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    co_await steps::publish_many(through, clock, word + ".a", 3);
    co_await steps::publish_many(through, clock, word + ".b", 1);
    const auto reader =
        co_await steps::consume(through, clock, {.name = word, .pattern = word + ".>"});

    std::vector<stream::delivery> out;
    while (out.size() < 2) {
        const auto more = co_await steps::fetch(*reader, clock);
        REQUIRE(!more.empty());
        out.insert(out.end(), more.begin(), more.end());
    }
    CHECK(steps::numbers_of(out, word + ".a") == one_to(1));
    CHECK(steps::numbers_of(out, word + ".b") == one_to(1));
    const auto early = co_await steps::fetch(*reader, clock, 300ms);
    CHECK(early.empty());

    co_await steps::acknowledge(*reader, clock, {out[0].sequence, out[1].sequence});
    const auto next = co_await steps::fetch(*reader, clock);
    CHECK(steps::numbers_of(next, word + ".a") == std::vector{2});
}

awaitable<void> order_holds_under_redelivery(bus_fixture& fixture) {
    constexpr int messages = 3;
    auto& clock = fixture.where().clock();
    const auto subject = fixture.fresh_word() + ".a";
    const auto through = fixture.open();
    co_await steps::publish_many(through, clock, subject, messages);
    const consumer_options options{
        .name = fixture.fresh_word(), .pattern = subject, .ack_wait = 400ms};
    const auto reader = co_await steps::consume(through, clock, options);

    // Each is acknowledged only when it came a second time.
    std::vector<stream::delivery> handed_over;
    std::vector<int> times(messages + 1);
    while (times[messages] < 2) {
        const auto deliveries = co_await steps::fetch(*reader, clock);
        REQUIRE(deliveries.size() == 1);
        handed_over.push_back(deliveries[0]);
        const auto number = static_cast<std::size_t>(steps::number_of(deliveries[0].message));
        if (++times[number] >= 2)
            co_await steps::acknowledge(*reader, clock, {deliveries[0].sequence});
    }

    const auto numbers = steps::numbers_of(handed_over, subject);
    CHECK(std::ranges::is_sorted(numbers));
    CHECK(std::ranges::count(times, 2) == messages);
}

awaitable<void> a_repeated_id_is_stored_once(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto subject = fixture.fresh_word() + ".a";
    const auto through = fixture.open();
    const auto other = fixture.open();

    co_await steps::publish(through, clock, steps::numbered(subject, 1));
    co_await steps::publish(through, clock, steps::numbered(subject, 1));
    co_await steps::publish(other, clock, steps::numbered(subject, 1));
    co_await steps::publish(through, clock, steps::numbered(subject, 2));

    const consumer_options options{.name = fixture.fresh_word(), .pattern = subject};
    const auto reader = co_await steps::consume(through, clock, options);
    const auto came = co_await steps::read_all(*reader, clock, 2);
    CHECK(steps::numbers_of(came, subject) == one_to(2));
}

awaitable<void> a_later_reader_takes_over(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto subject = fixture.fresh_word() + ".a";
    const auto through = fixture.open();
    const auto elsewhere = fixture.open();
    co_await steps::publish_many(through, clock, subject, 4);
    const consumer_options options{
        .name = fixture.fresh_word(), .pattern = subject, .ack_wait = 1000ms};
    const auto earlier = co_await steps::consume(through, clock, options);
    const auto out = co_await steps::fetch(*earlier, clock);
    REQUIRE(steps::numbers_of(out, subject) == one_to(1));

    const auto later = co_await steps::consume(elsewhere, clock, options);
    const auto came = co_await steps::read_all(*later, clock, 4);

    CHECK(steps::numbers_of(came, subject) == one_to(4));
    result<std::vector<stream::delivery>> refused;
    const auto give_up_at = clock.now() + steps::timeout;
    do {
        refused = co_await earlier->fetch(1, 50ms);
    } while (refused && refused->empty() && clock.now() < give_up_at);
    REQUIRE(!refused);
    CHECK(refused.error().code() == errc::conflict);
}

awaitable<void> a_forgotten_consumer_starts_anew(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto subject = fixture.fresh_word() + ".a";
    const auto name = fixture.fresh_word();
    const auto through = fixture.open();
    co_await steps::publish_many(through, clock, subject, 2);
    const auto reader = co_await steps::consume(through, clock, {.name = name, .pattern = subject});
    co_await steps::read_all(*reader, clock, 2);

    // Trying again after an unclear answer may find it gone already.
    auto forgotten = co_await through->delete_consumer(name);
    while (!forgotten && forgotten.error().code() != errc::not_found)
        forgotten = co_await through->delete_consumer(name);
    const auto twice = co_await through->delete_consumer(name);
    CHECK((!twice && twice.error().code() == errc::not_found));
    result<std::vector<stream::delivery>> orphaned;
    const auto give_up_at = clock.now() + steps::timeout;
    do {
        orphaned = co_await reader->fetch(1, 200ms);
    } while ((orphaned || orphaned.error().code() != errc::not_found) && clock.now() < give_up_at);
    CHECK((!orphaned && orphaned.error().code() == errc::not_found));

    const auto anew = co_await steps::consume(through, clock, {.name = name, .pattern = subject});
    const auto came = co_await steps::read_all(*anew, clock, 2);
    CHECK(steps::numbers_of(came, subject) == one_to(2));
}

awaitable<void> another_pattern_is_a_conflict(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const auto reader =
        co_await steps::consume(through, clock, {.name = word, .pattern = word + ".a"});

    const auto other = co_await through->consume({.name = word, .pattern = word + ".b"});

    REQUIRE(!other);
    CHECK(other.error().code() == errc::conflict);
    co_await steps::publish(through, clock, steps::numbered(word + ".a", 1));
    const auto came = co_await steps::read_all(*reader, clock, 1);
    CHECK(came.size() == 1);
}

awaitable<void> an_empty_fetch_ends_in_time(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const auto reader =
        co_await steps::consume(through, clock, {.name = word, .pattern = word + ".a"});

    const auto asked_at = clock.now();
    const auto none = co_await reader->fetch(10, 300ms);
    const auto waited = clock.now() - asked_at;

    CHECK((!none || none->empty()));
    CHECK(waited >= 290ms);
    CHECK(waited < 5s);
}

awaitable<void> many_publishers_lose_nothing(bus_fixture& fixture) {
    using namespace boost::asio::experimental::awaitable_operators;
    constexpr int messages = 60;
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto one = fixture.open();
    const auto two = fixture.open();
    const consumer_options options{.name = word, .pattern = word + ".>", .ack_wait = 2000ms};
    const auto reader = co_await steps::consume(one, clock, options);

    const auto came = co_await (
        steps::publish_many(one, clock, word + ".a", messages)
        && steps::publish_many(two, clock, word + ".b", messages)
        && steps::publish_many(two, clock, word + ".c", messages)
        && steps::read_all(*reader, clock, std::size_t{3} * messages));

    for (const auto* subject : {".a", ".b", ".c"})
        CHECK(steps::numbers_of(came, word + subject) == one_to(messages));
}

}  // namespace muster::contract::scenarios
