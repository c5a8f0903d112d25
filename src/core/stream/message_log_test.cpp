#include "core/stream/message_log.h"

#include "core/stream/feed.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::stream {
namespace {

using namespace std::chrono_literals;

constexpr instant start = instant(1h);
const consumer_options patching{.name = "patching", .pattern = "jobs.>", .ack_wait = 10s};

message job(const std::string& system, const std::string& text, const std::string& id = {}) {
    return {.subject = "jobs." + system, .payload = text, .id = id};
}

reader_number open(
    message_log& in, const consumer_options& options = patching, instant now = start) {
    const auto reader = in.open_consumer(options, now);
    REQUIRE(reader);
    return *reader;
}

std::vector<std::string> fetched(message_log& from, reader_number reader, instant now = start) {
    const auto deliveries =
        from.fetch({.consumer = "patching", .reader = reader, .messages_max = 100}, now);
    REQUIRE(deliveries);
    std::vector<std::string> payloads;
    for (const auto& delivery : *deliveries) payloads.push_back(delivery.message.payload);
    return payloads;
}

using payloads = std::vector<std::string>;

TEST_CASE("only one message of a subject is out, and the next goes when it is acknowledged") {
    message_log bus({});
    REQUIRE(bus.publish(job("web1", "a"), start));
    REQUIRE(bus.publish(job("web1", "b"), start));
    REQUIRE(bus.publish(job("web2", "c"), start));
    const auto reader = open(bus);

    CHECK(fetched(bus, reader) == payloads{"a", "c"});
    CHECK(fetched(bus, reader).empty());
    REQUIRE(bus.acknowledge("patching", reader, {1}));
    CHECK(fetched(bus, reader) == payloads{"b"});
}

TEST_CASE("an overdue delivery goes again, is counted, and may still be acknowledged late") {
    message_log bus({});
    REQUIRE(bus.publish(job("web1", "a"), start));
    const auto reader = open(bus);
    CHECK(fetched(bus, reader) == payloads{"a"});
    CHECK(bus.next_deadline() == start + 10s);

    const auto again =
        bus.fetch({.consumer = "patching", .reader = reader, .messages_max = 1}, start + 10s);
    REQUIRE(again);
    CHECK(again->at(0).attempt == 2);
    bus.expire(start + 20s);
    REQUIRE(bus.acknowledge("patching", reader, {1}));
    CHECK(fetched(bus, reader, start + 20s).empty());
}

TEST_CASE("what was never handed over cannot be acknowledged") {
    message_log bus({});
    REQUIRE(bus.publish(job("web1", "a"), start));
    const auto reader = open(bus);

    REQUIRE(bus.acknowledge("patching", reader, {1, 2, 99}));

    CHECK(fetched(bus, reader) == payloads{"a"});
}

TEST_CASE("the oldest messages go first when the stream is full, read or not") {
    message_log bus({.messages_max = 2});
    const auto reader = open(bus);
    REQUIRE(bus.publish(job("web1", "a"), start));
    CHECK(fetched(bus, reader) == payloads{"a"});
    REQUIRE(bus.publish(job("web1", "b"), start));
    REQUIRE(bus.publish(job("web1", "c"), start));

    CHECK(bus.size() == 2);
    CHECK(fetched(bus, reader) == payloads{"b"});
    message_log by_bytes({.bytes_max = 20});
    REQUIRE(by_bytes.publish(job("web1", "0123456789"), start));
    REQUIRE(by_bytes.publish(job("web1", "0123456789"), start));
    CHECK(by_bytes.size() == 1);
    CHECK(
        by_bytes.publish(job("web1", std::string(21, 'x')), start).error().code() == errc::invalid);
}

TEST_CASE("messages grow too old, and a consumer is not held up by one that did") {
    message_log bus({.age_max = 1min});
    const auto reader = open(bus);
    REQUIRE(bus.publish(job("web1", "a"), start));
    REQUIRE(bus.publish(job("web1", "b"), start + 30s));
    CHECK(fetched(bus, reader, start + 59s) == payloads{"a"});
    CHECK(fetched(bus, reader, start + 1min) == payloads{"b"});
}

TEST_CASE("an id is remembered for its span, and no longer") {
    message_log bus({.deduplication = {.span = 1min, .ids_max = 2}});

    CHECK_FALSE(bus.publish(job("web1", "a", "x"), start)->duplicate);
    CHECK(bus.publish(job("web2", "b", "x"), start + 59s)->duplicate);
    CHECK(bus.publish(job("web2", "b", "x"), start + 59s)->sequence == 1);
    CHECK_FALSE(bus.publish(job("web1", "a", "x"), start + 1min)->duplicate);
    CHECK_FALSE(bus.publish(job("web1", "a", "y"), start + 1min)->duplicate);
    CHECK_FALSE(bus.publish(job("web1", "a", "z"), start + 1min)->duplicate);
    CHECK_FALSE(bus.publish(job("web1", "a", "x"), start + 1min)->duplicate);
    CHECK(bus.size() == 5);
}

TEST_CASE("a later reader takes over, and what the earlier has out stays out until overdue") {
    message_log bus({});
    REQUIRE(bus.publish(job("web1", "a"), start));
    REQUIRE(bus.publish(job("web1", "b"), start));
    const auto earlier = open(bus);
    CHECK(fetched(bus, earlier) == payloads{"a"});
    const auto later = open(bus);

    CHECK(
        bus.fetch({.consumer = "patching", .reader = earlier}, start).error().code()
        == errc::conflict);
    CHECK(bus.acknowledge("patching", earlier, {1}).error().code() == errc::conflict);
    CHECK(fetched(bus, later).empty());
    bus.close_reader("patching", earlier);
    CHECK(fetched(bus, later).empty());
    CHECK(fetched(bus, later, start + 10s) == payloads{"a"});
    bus.close_reader("patching", later);
    CHECK(fetched(bus, open(bus), start + 10s) == payloads{"a"});
}

TEST_CASE("consumers are limited in number, keep their pattern, and can be forgotten") {
    message_log bus({.consumers_max = 1});
    open(bus);

    CHECK(
        bus.open_consumer({.name = "other", .pattern = ">"}, start).error().code()
        == errc::invalid);
    CHECK(
        bus.open_consumer({.name = "patching", .pattern = ">"}, start).error().code()
        == errc::conflict);
    CHECK(bus.delete_consumer("other").error().code() == errc::not_found);
    CHECK(bus.delete_consumer("patching"));
    CHECK(bus.consumer_names().empty());
    CHECK(bus.fetch({.consumer = "patching"}, start).error().code() == errc::not_found);
}

TEST_CASE("a snapshot that contradicts itself is refused as corrupt") {
    message_log bus({});
    open(bus);
    REQUIRE(bus.publish(job("web1", "a"), start));
    REQUIRE(bus.publish(job("web1", "b"), start));
    auto gap = bus.snapshot(start);
    gap.messages.erase(gap.messages.begin() + 1);
    auto owed = bus.snapshot(start);
    owed.consumers[0].pending.push_back({.sequence = 7, .attempts = 0});

    CHECK(message_log::restore({}, gap, start).error().code() == errc::corrupt);
    CHECK(message_log::restore({}, owed, start).error().code() == errc::corrupt);
}

TEST_CASE("a feed keeps the newest and counts what it lost, by number and by size") {
    feed by_number(">", {.messages_max = 2});
    feed by_size(">", {.bytes_max = 25});
    for (const auto* const payload : {"1", "2", "3"}) {
        by_number.push(job("web1", payload));
        by_size.push(job("web1", payload));
    }

    CHECK(by_number.missed() == 1);
    CHECK(by_number.pop()->payload == "2");
    CHECK(by_size.missed() == 1);
    by_size.push(job("web1", std::string(100, 'x')));
    CHECK(by_size.missed() == 3);
    CHECK(by_size.pop()->payload.size() == 100);
    CHECK_FALSE(by_size.pop());
}

}  // namespace
}  // namespace muster::stream
