#include "adapters/net/watchdog.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <vector>

namespace muster::net {
namespace {

using namespace std::chrono_literals;

class counting_entry final : public watchdog::deadline_entry {
public:
    explicit counting_entry(net::watchdog& watchdog) : deadline_entry(watchdog) {}
    int rung = 0;

private:
    void interrupt() override { ++rung; }
};

// What a watchdog means: a look at each of them at every sweep.
struct reference {
    instant deadline = instant::max();
    int rung = 0;
};

struct watched_pair {
    std::unique_ptr<counting_entry> real;
    reference plain;

    void arm(instant deadline) {
        real->arm(deadline);
        plain.deadline = deadline;
    }
};

// Milliseconds to more than what the watchdog looks ahead.
monotonic::duration some_span(prng& random) {
    const auto scale = random.below(3) == 0 ? 100'000U : 2'000U;
    return std::chrono::milliseconds(random.below(scale));
}

void change_one(prng& random, watchdog& watchdog, watched_pair& watched_pair, instant now) {
    switch (random.below(8)) {
        case 0:
            watched_pair = {.real = std::make_unique<counting_entry>(watchdog), .plain = {}};
            return;
        case 1:
            watched_pair.real->disarm();
            watched_pair.plain.deadline = instant::max();
            return;
        case 2:
            watched_pair.real->arm_now();
            watched_pair.plain.deadline = instant::min();
            return;
        case 3:
            watched_pair.arm(now - some_span(random));
            return;
        default:
            watched_pair.arm(now + some_span(random));
    }
}

TEST_CASE("a sweep interrupts those that are overdue and nobody else, however deadlines moved") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        watchdog watchdog;
        auto now = instant(std::chrono::hours(random.below(100)));
        std::vector<watched_pair> all(30);
        for (auto& each : all) each.real = std::make_unique<counting_entry>(watchdog);
        for (int step = 0; step < 400; ++step) {
            change_one(random, watchdog, all[random.below(all.size())], now);
            if (random.below(4) != 0) continue;
            now += random.below(50) == 0 ? some_span(random) * 10 : some_span(random);
            watchdog.sweep(now);
            for (auto& each : all) {
                each.plain.rung += each.plain.deadline <= now ? 1 : 0;
                REQUIRE(each.real->rung == each.plain.rung);
                REQUIRE(each.real->expired() == (each.plain.rung > 0));
            }
        }
    }
}

TEST_CASE("who is overdue is interrupted at every sweep until it is put off") {
    watchdog watchdog;
    const instant begin(1h);
    counting_entry counting_entry(watchdog);
    counting_entry.arm(begin);
    watchdog.sweep(begin + 1ms);
    watchdog.sweep(begin + 2ms);
    watchdog.sweep(begin + 10s);
    CHECK(counting_entry.rung == 3);

    counting_entry.arm(begin + 20s);
    watchdog.sweep(begin + 11s);
    CHECK(counting_entry.rung == 3);
}

TEST_CASE("one that goes is forgotten") {
    watchdog watchdog;
    const instant begin(1h);
    counting_entry stays(watchdog);
    stays.arm(begin);
    {
        counting_entry goes(watchdog);
        goes.arm(begin);
    }
    watchdog.sweep(begin);
    CHECK(stays.rung == 1);
}

}  // namespace
}  // namespace muster::net
