#include "core/stream/subject_serializer.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::stream {
namespace {

delivery arriving(std::uint64_t sequence, const std::string& subject, std::uint32_t attempt = 1) {
    return {
        .message = {.subject = subject, .payload = {}, .id = {}},
        .sequence = sequence,
        .attempt = attempt};
}

std::vector<std::uint64_t> taken(subject_serializer& from) {
    std::vector<std::uint64_t> sequences;
    for (const auto& one : from.pop_ready(100)) sequences.push_back(one.sequence);
    return sequences;
}

using sequences = std::vector<std::uint64_t>;

TEST_CASE("later messages of a subject wait until the acknowledgement is confirmed") {
    subject_serializer gate;
    gate.on_delivery(arriving(1, "web1"));
    gate.on_delivery(arriving(2, "web1"));
    gate.on_delivery(arriving(3, "web2"));

    CHECK(taken(gate) == sequences{1, 3});
    CHECK(gate.acknowledge(1));
    CHECK(taken(gate).empty());
    gate.on_confirmed(1);
    CHECK(taken(gate) == sequences{2});
    CHECK_FALSE(gate.acknowledge(1));
    CHECK(gate.unconfirmed() == sequences{2, 3});
}

TEST_CASE("a message that comes again goes again, before later ones of its subject") {
    subject_serializer gate;
    gate.on_delivery(arriving(1, "web1"));
    gate.on_delivery(arriving(2, "web1"));
    CHECK(taken(gate) == sequences{1});

    gate.on_delivery(arriving(2, "web1", 2));
    CHECK(taken(gate).empty());
    gate.on_delivery(arriving(1, "web1", 2));
    CHECK(taken(gate) == sequences{1});
}

TEST_CASE("an acknowledgement counts also when the message has just come again") {
    subject_serializer gate;
    gate.on_delivery(arriving(1, "web1"));
    gate.on_delivery(arriving(2, "web1"));
    CHECK(taken(gate) == sequences{1});
    gate.on_delivery(arriving(1, "web1", 2));

    CHECK(gate.acknowledge(1));
    CHECK(taken(gate).empty());
    CHECK(gate.on_delivery(arriving(1, "web1", 3)) == subject_serializer::arrival::acknowledged);
    gate.on_confirmed(1);
    CHECK(gate.on_delivery(arriving(1, "web1", 4)) == subject_serializer::arrival::acknowledged);
    CHECK(taken(gate) == sequences{2});
}

TEST_CASE("nothing goes while the gate is held") {
    subject_serializer gate;
    gate.hold();
    gate.on_delivery(arriving(2, "web1"));
    CHECK(taken(gate).empty());
    CHECK_FALSE(gate.has_ready());

    gate.on_delivery(arriving(1, "web1"));
    gate.release();
    CHECK(taken(gate) == sequences{1});
}

// An engine that delivers ahead and repeats at random whatever is not acknowledged.
TEST_CASE("no message is handed over before every earlier one of its subject is confirmed") {
    constexpr std::uint64_t messages = 60;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        subject_serializer gate;
        std::map<std::uint64_t, std::string> subjects;
        std::set<std::uint64_t> unconfirmed;
        std::set<std::uint64_t> acknowledged;
        for (std::uint64_t value = 1; value <= messages; ++value)
            subjects[value] = "s" + std::to_string(random.below(4));
        std::uint64_t delivered = 0;
        while (delivered < messages || !unconfirmed.empty()) {
            if (delivered < messages && random.chance(300)) {
                ++delivered;
                unconfirmed.insert(delivered);
                gate.on_delivery(arriving(delivered, subjects[delivered]));
            }
            for (const auto one : unconfirmed) {
                if (random.chance(50)) gate.on_delivery(arriving(one, subjects[one], 2));
            }
            for (const auto& out : gate.pop_ready(1 + random.below(3))) {
                for (const auto earlier : unconfirmed) {
                    const bool same = subjects[earlier] == out.message.subject;
                    REQUIRE((earlier >= out.sequence || !same));
                }
                REQUIRE(!acknowledged.contains(out.sequence));
                if (random.chance(500) && gate.acknowledge(out.sequence))
                    acknowledged.insert(out.sequence);
            }
            for (const auto one : acknowledged) {
                if (!unconfirmed.contains(one) || !random.chance(300)) continue;
                gate.on_confirmed(one);
                unconfirmed.erase(one);
            }
        }
        CHECK(gate.unconfirmed_count() == 0);
    }
}

}  // namespace
}  // namespace muster::stream
