#include "ports/contract/bus_scenarios.h"
#include "ports/contract/bus_steps.h"

#include <doctest/doctest.h>

namespace muster::contract::scenarios {

using namespace std::chrono_literals;

namespace {

// All payloads heard up to and without "end".
awaitable<std::vector<std::string>> hear_to_the_end(bus_subscription& from, muster::clock& clock) {
    std::vector<std::string> payloads;
    for (;;) {
        auto message = co_await steps::hear(from, clock);
        if (message.payload == "end") co_return payloads;
        payloads.push_back(message.subject + "=" + message.payload);
    }
}

}  // namespace

awaitable<void> patterns_choose_what_is_heard(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const auto one = co_await steps::listen(through, clock, word + ".a.slots", word + ".a.slots");
    const auto any = co_await steps::listen(through, clock, word + ".*.slots", word + ".p.slots");
    const auto rest = co_await steps::listen(through, clock, word + ".a.>", word + ".a.probe.x");

    for (const auto* subject : {".a.slots", ".b.slots", ".a.jobs", ".a.jobs.done", ".b.jobs"})
        co_await steps::publish(through, clock, steps::numbered(word + subject, 1));
    stream::message end{.subject = word + ".a.slots", .payload = "end", .id = word + "-end"};
    co_await steps::publish(through, clock, end);

    using payloads = std::vector<std::string>;
    const auto heard_by_one = co_await hear_to_the_end(*one, clock);
    CHECK(heard_by_one == payloads{word + ".a.slots=1"});
    const auto heard_by_any = co_await hear_to_the_end(*any, clock);
    CHECK(heard_by_any == payloads{word + ".a.slots=1", word + ".b.slots=1"});
    const auto heard_by_rest = co_await hear_to_the_end(*rest, clock);
    CHECK(
        heard_by_rest
        == payloads{word + ".a.slots=1", word + ".a.jobs=1", word + ".a.jobs.done=1"});
    CHECK(rest->missed() == 0);
}

awaitable<void> only_later_messages_are_heard(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto subject = fixture.fresh_word() + ".news";
    const auto through = fixture.open();

    co_await steps::publish(through, clock, steps::numbered(subject, 1));
    const auto live = co_await steps::listen(through, clock, subject, subject);
    co_await steps::publish(through, clock, steps::numbered(subject, 2));

    const auto message = co_await steps::hear(*live, clock);
    CHECK(message == steps::numbered(subject, 2));
}

awaitable<void> a_slow_listener_loses_the_oldest(bus_fixture& fixture) {
    constexpr int too_many = 20;
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const auto live = co_await steps::listen(through, clock, word + ".>", word + ".probe");
    const auto sentinel = co_await steps::listen(through, clock, word + ".last", word + ".last");
    const auto stored = static_cast<int>(fixture.feed_messages_max());

    co_await steps::publish_many(through, clock, word + ".flood", stored + too_many - 1);
    co_await steps::publish(
        through, clock, {.subject = word + ".last", .payload = "end", .id = {}});
    const auto arrived = co_await steps::hear(*sentinel, clock);
    CHECK(arrived.payload == "end");
    const auto give_up_at = clock.now() + steps::timeout;
    while (live->missed() < too_many && clock.now() < give_up_at)
        ignore_error(co_await clock.sleep_for(10ms), "only a pause");

    // Probes may have been waiting too: what counts is that the newest are there, without a gap.
    CHECK(live->missed() >= too_many);
    auto expected = steps::number_of((co_await steps::hear(*live, clock)));
    CHECK(expected >= too_many);
    for (;;) {
        const auto message = co_await steps::hear(*live, clock);
        if (message.payload == "end") break;
        CHECK(steps::number_of(message) == ++expected);
    }
    CHECK(expected == stored + too_many - 1);
}

awaitable<void> a_ping_leaves_no_trace(bus_fixture& fixture) {
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const auto live = co_await steps::listen(through, clock, ">", word + ".live");
    co_await steps::publish(through, clock, steps::numbered(word + ".a", 1));
    REQUIRE(steps::number_of(co_await steps::hear(*live, clock)) == 1);

    for (int pings = 0; pings < 3; ++pings) co_await steps::ping(through, clock);
    co_await steps::publish(through, clock, steps::numbered(word + ".a", 2));

    const auto message = co_await steps::hear(*live, clock);
    CHECK(message == steps::numbered(word + ".a", 2));
    const auto reader =
        co_await steps::consume(through, clock, {.name = word, .pattern = word + ".a"});
    const auto stored = co_await steps::read_all(*reader, clock, 2);
    CHECK(stored.back().sequence == stored.front().sequence + 1);
}

awaitable<void> broken_limits_are_invalid(bus_fixture& fixture) {
    using stream::limits;
    auto& clock = fixture.where().clock();
    const auto word = fixture.fresh_word();
    const auto through = fixture.open();
    const std::string too_large(limits::payload_bytes_max + 1, 'x');
    const std::vector<stream::message> refused{
        {.subject = "", .payload = {}, .id = {}},
        {.subject = word + "..x", .payload = {}, .id = {}},
        {.subject = word + ".*", .payload = {}, .id = {}},
        {.subject = word + ".a b", .payload = {}, .id = {}},
        {.subject = word + "." + std::string(limits::subject_bytes_max, 's'),
         .payload = {},
         .id = {}},
        {.subject = word + ".large", .payload = too_large, .id = {}},
        {.subject = word + ".id", .payload = {}, .id = std::string(limits::id_bytes_max + 1, 'i')},
        {.subject = word + ".id", .payload = {}, .id = "two\r\nlines"},
    };

    for (const auto& message : refused) {
        const auto sent = co_await through->publish(message);
        CHECK((!sent && sent.error().code() == errc::invalid));
    }
    const auto listened = co_await through->subscribe(word + ".>.x");
    CHECK((!listened && listened.error().code() == errc::invalid));
    const auto unnamed = co_await through->consume({.name = "a.b", .pattern = word + ".>"});
    CHECK((!unnamed && unnamed.error().code() == errc::invalid));
    const auto hasty =
        co_await through->consume({.name = word, .pattern = word + ".>", .ack_wait = 1ms});
    CHECK((!hasty && hasty.error().code() == errc::invalid));

    const auto reader =
        co_await steps::consume(through, clock, {.name = word, .pattern = word + ".>"});
    const auto none = co_await reader->fetch(0, 1ms);
    CHECK((!none && none.error().code() == errc::invalid));
    const auto all = co_await reader->fetch(limits::fetch_messages_max + 1, 1ms);
    CHECK((!all && all.error().code() == errc::invalid));
    stream::message largest{
        .subject = word + ".large", .payload = too_large.substr(1), .id = word + "-largest"};
    co_await steps::publish(through, clock, largest);
    const auto came = co_await steps::read_all(*reader, clock, 1);
    CHECK(came[0].message == largest);
}

}  // namespace muster::contract::scenarios
