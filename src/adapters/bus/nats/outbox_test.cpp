#include "adapters/bus/nats/outbox.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::nats {
namespace {

using namespace std::chrono_literals;

constexpr instant start{};
const std::string inbox = "_INBOX.web1.";

constexpr outbox::limits roomy{
    .requests_max = 100,
    .request_bytes_max = 100'000,
    .messages_max = 100,
    .message_bytes_max = 100'000};

bool add_request(
    outbox& into, std::string subject, instant deadline, std::size_t payload_bytes = 10) {
    outgoing_message message{
        .subject = std::move(subject),
        .payload = std::string(payload_bytes, 'x'),
        .message_id = {}};
    completion<incoming_message> done = [](const result<incoming_message>&) {
    };
    return into.add_request(message, done, deadline);
}

bool add_message(outbox& into, std::string subject, std::size_t payload_bytes = 10) {
    outgoing_message message{
        .subject = std::move(subject),
        .payload = std::string(payload_bytes, 'x'),
        .message_id = {}};
    std::string reply;
    return into.add_message(message, reply);
}

std::vector<std::string> subjects_to_send(outbox& of) {
    std::vector<std::string> subjects;
    while (const auto next = of.next()) subjects.push_back(next->message.subject);
    return subjects;
}

TEST_CASE("a request that is overdue is sent no more and takes no room, however long the outage") {
    outbox box(inbox, {.requests_max = 4, .request_bytes_max = 1000});
    auto now = start;

    for (int hour = 0; hour < 10'000; ++hour) {
        for (const auto* const subject : {"jobs.web1", "jobs.web2", "jobs.web3", "jobs.web4"})
            REQUIRE(add_request(box, subject, now + 5s, 200));
        now += 1h;
        const auto overdue = box.end_overdue(now);
        REQUIRE(overdue.size() == 4);
        CHECK_FALSE(overdue.front().sent);
        REQUIRE(box.unsent() == outbox::queue_load{});
    }

    CHECK_FALSE(box.next());
    CHECK_FALSE(box.next_deadline());
}

TEST_CASE("a request that is taken leaves those before and behind it in their order") {
    outbox box(inbox, roomy);
    REQUIRE(add_request(box, "first", start + 1s));
    REQUIRE(add_request(box, "second", start + 3s));
    REQUIRE(add_message(box, "third"));

    CHECK(box.end_answered(inbox + "2"));
    CHECK_FALSE(box.end_answered(inbox + "2"));

    CHECK(subjects_to_send(box) == std::vector<std::string>{"first", "third"});
    CHECK(box.unsent() == outbox::queue_load{});
}

TEST_CASE("requests and messages without an answer are bounded in number, each for itself") {
    auto bounds = roomy;
    bounds.requests_max = 2;
    bounds.messages_max = 3;
    outbox box(inbox, bounds);

    CHECK(add_request(box, "a", start));
    CHECK(add_request(box, "b", start));
    CHECK_FALSE(add_request(box, "c", start));
    CHECK(add_message(box, "d"));
    CHECK(add_message(box, "e"));
    CHECK(add_message(box, "f"));
    CHECK_FALSE(add_message(box, "g"));

    CHECK(box.unsent().messages == 5);
}

TEST_CASE("requests and messages without an answer are bounded in bytes, each for itself") {
    auto bounds = roomy;
    bounds.request_bytes_max = 1000;
    bounds.message_bytes_max = 500;
    outbox box(inbox, bounds);

    CHECK(add_request(box, "a", start, 900));
    CHECK_FALSE(add_request(box, "b", start, 900));
    CHECK(add_message(box, "c", 400));
    CHECK_FALSE(add_message(box, "d", 400));

    CHECK(box.unsent().messages == 2);
    CHECK(box.unsent().bytes <= 1500);
}

TEST_CASE("a request that was sent keeps its room until it is over, a message does not") {
    auto bounds = roomy;
    bounds.requests_max = 1;
    bounds.messages_max = 1;
    outbox box(inbox, bounds);
    REQUIRE(add_request(box, "a", start + 1s));
    REQUIRE(add_message(box, "b"));

    CHECK(subjects_to_send(box).size() == 2);

    CHECK_FALSE(add_request(box, "c", start + 1s));
    CHECK(add_message(box, "d"));
    CHECK(box.end_sent().size() == 1);
    CHECK(add_request(box, "c", start + 1s));
}

TEST_CASE("what could not be sent goes back to its place, unless it is over meanwhile") {
    outbox box(inbox, roomy);
    REQUIRE(add_request(box, "first", start + 1s));
    REQUIRE(add_message(box, "second"));

    auto in_hand = box.next();
    REQUIRE(in_hand);
    box.put_back(*in_hand);
    in_hand = box.next();
    REQUIRE(in_hand);
    CHECK(in_hand->message.subject == "first");
    box.put_back(*in_hand);
    CHECK(box.end_sent().empty());
    in_hand = box.next();
    REQUIRE(in_hand);
    CHECK(box.end_overdue(start + 1s).front().sent);
    box.put_back(*in_hand);

    CHECK(subjects_to_send(box) == std::vector<std::string>{"second"});
}

TEST_CASE("what is refused is left to its caller") {
    outbox box(inbox, {});
    outgoing_message message{.subject = "jobs.web1", .payload = "patch", .message_id = {}};
    completion<incoming_message> done = [](const result<incoming_message>&) {
    };
    std::string reply = "answers";

    CHECK_FALSE(box.add_request(message, done, start));
    CHECK_FALSE(box.add_message(message, reply));

    CHECK(message.payload == "patch");
    CHECK(done);
    CHECK(reply == "answers");
    CHECK(box.unsent() == outbox::queue_load{});
}

TEST_CASE("the end takes every request, sent or not, and leaves messages") {
    outbox box(inbox, roomy);
    REQUIRE(add_request(box, "sent", start + 2s));
    CHECK(box.next());
    REQUIRE(add_request(box, "unsent", start + 1s));
    REQUIRE(add_message(box, "told"));
    CHECK(box.next_deadline() == start + 1s);

    const auto rest = box.end_all();

    REQUIRE(rest.size() == 2);
    CHECK(rest[0].sent);
    CHECK_FALSE(rest[1].sent);
    CHECK(subjects_to_send(box) == std::vector<std::string>{"told"});
}

}  // namespace
}  // namespace muster::nats
