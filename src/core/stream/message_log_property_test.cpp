#include "base/prng.h"
#include "core/stream/message_log.h"
#include "core/stream/subject.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::stream {
namespace {

using namespace std::chrono_literals;

constexpr message_log_limits small{
    .messages_max = 12,
    .bytes_max = 400,
    .age_max = 60s,
    .deduplication = {.span = 20s, .ids_max = 1000}};
constexpr auto ack_wait = 5s;

// The bus as its promises read, with no thought for cost: every question scans all there ever was.
class plain_log {
public:
    bool publish(const message& message, instant now) {
        for (const auto& one : all_) {
            if (!message.id.empty() && one.what.id == message.id
                && now < one.at + small.deduplication.span)
                return false;
        }
        all_.push_back({.what = message, .at = now});
        return true;
    }

    std::vector<std::pair<std::uint64_t, int>> fetch(
        const std::string& pattern, std::size_t messages_max, instant now) {
        std::vector<std::pair<std::uint64_t, int>> handed_over;
        std::set<std::string> busy;
        for (auto sequence = first_kept(now); sequence <= all_.size(); ++sequence) {
            const auto& what = all_[sequence - 1].what;
            if (!matches(pattern, what.subject) || acknowledged_.contains(sequence)) continue;
            if (!busy.insert(what.subject).second) continue;
            const auto out = out_until_.find(sequence);
            if (out != out_until_.end() && now < out->second) continue;
            if (handed_over.size() == messages_max) continue;
            out_until_[sequence] = now + ack_wait;
            handed_over.emplace_back(sequence, ++attempts_[sequence]);
        }
        return handed_over;
    }

    void acknowledge(std::uint64_t sequence) {
        if (attempts_.contains(sequence)) acknowledged_.insert(sequence);
    }

    void release() { out_until_.clear(); }

    std::size_t kept(instant now) const { return all_.size() + 1 - first_kept(now); }

private:
    struct stored {
        message what;
        instant at;
    };

    // Limits bind when a message comes in, age at any time; a message that went stays away.
    std::uint64_t first_kept(instant now) const {
        std::uint64_t first = first_kept_;
        while (all_.size() + 1 - first > small.messages_max || bytes_from(first) > small.bytes_max)
            ++first;
        while (first <= all_.size() && all_[first - 1].at + small.age_max <= now) ++first;
        first_kept_ = first;
        return first;
    }

    std::size_t bytes_from(std::uint64_t first) const {
        std::size_t bytes = 0;
        for (auto at = first - 1; at < all_.size(); ++at) {
            const auto& what = all_[at].what;
            bytes += what.subject.size() + what.payload.size() + what.id.size();
        }
        return bytes;
    }

    std::vector<stored> all_;
    mutable std::uint64_t first_kept_ = 1;
    std::set<std::uint64_t> acknowledged_;
    std::map<std::uint64_t, instant> out_until_;
    std::map<std::uint64_t, int> attempts_;
};

struct machine {
    message_log real{small};
    plain_log plain;
    reader_number reader;
    instant now = instant(1h);
    std::set<std::uint64_t> handed_over;
};

const consumer_options everything{.name = "all", .pattern = "s.*", .ack_wait = ack_wait};

void publish(machine& in, prng& random) {
    const auto id = random.chance(500) ? "id" + std::to_string(random.below(6)) : std::string();
    const message message{
        .subject = (random.chance(100) ? "other." : "s.") + std::to_string(random.below(3)),
        .payload = std::string(random.below(60), 'p'),
        .id = id};
    const auto receipt = in.real.publish(message, in.now);
    REQUIRE(receipt);
    CHECK(receipt->duplicate == !in.plain.publish(message, in.now));
}

void fetch(machine& in, prng& random) {
    const auto messages_max = 1 + random.below(4);
    const auto deliveries = in.real.fetch(
        {.consumer = "all", .reader = in.reader, .messages_max = messages_max}, in.now);
    REQUIRE(deliveries);
    std::vector<std::pair<std::uint64_t, int>> got;
    for (const auto& delivery : *deliveries) {
        got.emplace_back(delivery.sequence, static_cast<int>(delivery.attempt));
        in.handed_over.insert(delivery.sequence);
    }
    CHECK(got == in.plain.fetch(everything.pattern, messages_max, in.now));
}

void acknowledge(machine& in, prng& random) {
    const auto sequence = 1 + random.below(in.real.sequence_last() + 1);
    REQUIRE(in.real.acknowledge("all", in.reader, {sequence}));
    in.plain.acknowledge(sequence);
}

void restart(machine& in) {
    // The machine's clock starts anew; ages and spans go on.
    auto restored = message_log::restore(small, in.real.snapshot(in.now), in.now);
    REQUIRE(restored);
    in.real = std::move(*restored);
    in.plain.release();
}

void step(machine& in, prng& random) {
    const auto dice = random.below(100);
    if (dice < 35) {
        publish(in, random);
    } else if (dice < 60) {
        fetch(in, random);
    } else if (dice < 85) {
        acknowledge(in, random);
    } else if (dice < 96) {
        in.now += std::chrono::milliseconds(random.below(6000));
        in.real.expire(in.now);
    } else {
        restart(in);
    }
    CHECK(in.real.size() == in.plain.kept(in.now));
}

TEST_CASE("the log does what the plain model does, whatever happens in whatever order") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        machine both;
        const auto reader = both.real.open_consumer(everything, both.now);
        REQUIRE(reader);
        both.reader = *reader;
        for (int steps = 0; steps < 400; ++steps) step(both, random);
    }
}

TEST_CASE("every deadline the log names is in the future once it was expired") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        machine both;
        both.reader = *both.real.open_consumer(everything, both.now);
        for (int steps = 0; steps < 200; ++steps) {
            step(both, random);
            both.real.expire(both.now);
            const auto next = both.real.next_deadline();
            if (next) REQUIRE(*next > both.now);
        }
    }
}

}  // namespace
}  // namespace muster::stream
