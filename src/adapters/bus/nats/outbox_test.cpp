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

bool ask(outbox& into, std::string subject, instant deadline, std::size_t payload_bytes = 10) {
    outgoing outgoing{
        .subject = std::move(subject),
        .payload = std::string(payload_bytes, 'x'),
        .message_id = {}};
    completion<incoming> done = [](const result<incoming>&) {
    };
    return into.ask(outgoing, done, deadline);
}

bool tell(outbox& into, std::string subject, std::size_t payload_bytes = 10) {
    outgoing outgoing{
        .subject = std::move(subject),
        .payload = std::string(payload_bytes, 'x'),
        .message_id = {}};
    std::string reply;
    return into.tell(outgoing, reply);
}

std::vector<std::string> subjects_to_send(outbox& of) {
    std::vector<std::string> subjects;
    while (const auto next = of.next()) subjects.push_back(next->what.subject);
    return subjects;
}

TEST_CASE("a request that is overdue is sent no more and takes no room, however long the outage") {
    outbox box(inbox, {.requests_max = 4, .request_bytes_max = 1000});
    auto now = start;

    for (int hour = 0; hour < 10'000; ++hour) {
        for (const auto* const subject : {"jobs.web1", "jobs.web2", "jobs.web3", "jobs.web4"})
            REQUIRE(ask(box, subject, now + 5s, 200));
        now += 1h;
        const auto overdue = box.take_overdue(now);
        REQUIRE(overdue.size() == 4);
        CHECK_FALSE(overdue.front().sent);
        REQUIRE(box.unsent() == outbox::load{});
    }

    CHECK_FALSE(box.next());
    CHECK_FALSE(box.next_deadline());
}

TEST_CASE("a request that is taken leaves those before and behind it in their order") {
    outbox box(inbox, roomy);
    REQUIRE(ask(box, "first", start + 1s));
    REQUIRE(ask(box, "second", start + 3s));
    REQUIRE(tell(box, "third"));

    CHECK(box.answered(inbox + "2"));
    CHECK_FALSE(box.answered(inbox + "2"));

    CHECK(subjects_to_send(box) == std::vector<std::string>{"first", "third"});
    CHECK(box.unsent() == outbox::load{});
}

TEST_CASE("requests and messages without an answer are bounded in number, each for itself") {
    auto bounds = roomy;
    bounds.requests_max = 2;
    bounds.messages_max = 3;
    outbox box(inbox, bounds);

    CHECK(ask(box, "a", start));
    CHECK(ask(box, "b", start));
    CHECK_FALSE(ask(box, "c", start));
    CHECK(tell(box, "d"));
    CHECK(tell(box, "e"));
    CHECK(tell(box, "f"));
    CHECK_FALSE(tell(box, "g"));

    CHECK(box.unsent().letters == 5);
}

TEST_CASE("requests and messages without an answer are bounded in bytes, each for itself") {
    auto bounds = roomy;
    bounds.request_bytes_max = 1000;
    bounds.message_bytes_max = 500;
    outbox box(inbox, bounds);

    CHECK(ask(box, "a", start, 900));
    CHECK_FALSE(ask(box, "b", start, 900));
    CHECK(tell(box, "c", 400));
    CHECK_FALSE(tell(box, "d", 400));

    CHECK(box.unsent().letters == 2);
    CHECK(box.unsent().bytes <= 1500);
}

TEST_CASE("a request that was sent keeps its room until it is over, a message does not") {
    auto bounds = roomy;
    bounds.requests_max = 1;
    bounds.messages_max = 1;
    outbox box(inbox, bounds);
    REQUIRE(ask(box, "a", start + 1s));
    REQUIRE(tell(box, "b"));

    CHECK(subjects_to_send(box).size() == 2);

    CHECK_FALSE(ask(box, "c", start + 1s));
    CHECK(tell(box, "d"));
    CHECK(box.take_sent().size() == 1);
    CHECK(ask(box, "c", start + 1s));
}

TEST_CASE("what could not be sent goes back to its place, unless it is over meanwhile") {
    outbox box(inbox, roomy);
    REQUIRE(ask(box, "first", start + 1s));
    REQUIRE(tell(box, "second"));

    auto in_hand = box.next();
    REQUIRE(in_hand);
    box.put_back(*in_hand);
    in_hand = box.next();
    REQUIRE(in_hand);
    CHECK(in_hand->what.subject == "first");
    box.put_back(*in_hand);
    CHECK(box.take_sent().empty());
    in_hand = box.next();
    REQUIRE(in_hand);
    CHECK(box.take_overdue(start + 1s).front().sent);
    box.put_back(*in_hand);

    CHECK(subjects_to_send(box) == std::vector<std::string>{"second"});
}

TEST_CASE("what is refused is left to its caller") {
    outbox box(inbox, {});
    outgoing outgoing{.subject = "jobs.web1", .payload = "patch", .message_id = {}};
    completion<incoming> done = [](const result<incoming>&) {
    };
    std::string reply = "answers";

    CHECK_FALSE(box.ask(outgoing, done, start));
    CHECK_FALSE(box.tell(outgoing, reply));

    CHECK(outgoing.payload == "patch");
    CHECK(done);
    CHECK(reply == "answers");
    CHECK(box.unsent() == outbox::load{});
}

TEST_CASE("the end takes every request, sent or not, and leaves messages") {
    outbox box(inbox, roomy);
    REQUIRE(ask(box, "sent", start + 2s));
    CHECK(box.next());
    REQUIRE(ask(box, "unsent", start + 1s));
    REQUIRE(tell(box, "told"));
    CHECK(box.next_deadline() == start + 1s);

    const auto rest = box.take_all();

    REQUIRE(rest.size() == 2);
    CHECK(rest[0].sent);
    CHECK_FALSE(rest[1].sent);
    CHECK(subjects_to_send(box) == std::vector<std::string>{"told"});
}

}  // namespace
}  // namespace muster::nats
