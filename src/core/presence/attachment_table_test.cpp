#include "core/presence/attachment_table.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <map>

using namespace muster;
using namespace muster::presence;
using session::reason;

namespace {

const node_number alpha(1);
const node_number beta(2);

report from(node_number node, std::uint64_t sequence, seconds at) {
    return {.node = node, .zone = "default", .start = 1, .sequence = sequence, .at = at};
}

arrival came(std::int64_t number, seconds since) {
    return {.system = system_number(number), .address = {}, .since = since};
}

bool take(attachment_table& all, const report& report, instant now = instant()) {
    return all.apply(report, now);
}

}  // namespace

TEST_CASE("a system is attached to the node that reported it, until that node says it left") {
    attachment_table all;
    auto response = from(alpha, 1, 100);
    response.arrivals = {came(5, 99)};
    REQUIRE(take(all, response));
    CHECK(all.attached(system_number(5)));
    CHECK(all.last_seen(*all.find(system_number(5))) == 100);
    CHECK(all.nodes().at(alpha).attached == 1);

    auto later = from(alpha, 2, 110);
    later.departures = {{.system = system_number(5), .why = reason::silent, .at = 108}};
    REQUIRE(take(all, later));

    CHECK_FALSE(all.attached(system_number(5)));
    CHECK(all.find(system_number(5))->why == reason::silent);
    CHECK(all.last_seen(*all.find(system_number(5))) == 108);
    CHECK(all.attached_in("default") == 0);
}

TEST_CASE("a whole report mends what was lost, within its range only") {
    attachment_table all;
    auto response = from(alpha, 1, 100);
    response.arrivals = {came(5, 99), came(7, 99), came(5000, 99)};
    REQUIRE(take(all, response));

    auto whole = from(alpha, 3, 130);
    whole.whole = report::range{system_number(1), system_number(4000)};
    whole.arrivals = {came(6, 120), came(7, 99)};
    REQUIRE(take(all, whole));

    CHECK_FALSE(all.attached(system_number(5)));
    CHECK(all.attached(system_number(6)));
    CHECK(all.attached(system_number(7)));
    CHECK(all.attached(system_number(5000)));
    CHECK(all.nodes().at(alpha).attached == 3);
}

TEST_CASE("a node that has not noticed that a system left does not take it back") {
    attachment_table all;
    auto first = from(alpha, 1, 100);
    first.arrivals = {came(5, 100)};
    auto second = from(beta, 1, 110);
    second.arrivals = {came(5, 110)};
    REQUIRE(take(all, first));
    REQUIRE(take(all, second));

    auto stale = from(alpha, 2, 115);
    stale.whole = report::range{system_number(1), system_number(INT32_MAX)};
    stale.arrivals = {came(5, 100)};
    REQUIRE(take(all, stale));
    auto goodbye = from(alpha, 3, 125);
    goodbye.departures = {{.system = system_number(5), .why = reason::silent, .at = 125}};
    REQUIRE(take(all, goodbye));

    CHECK(all.attached(system_number(5)));
    CHECK(all.find(system_number(5))->node == 2);
    CHECK(all.nodes().at(alpha).attached == 0);
    CHECK(all.nodes().at(beta).attached == 1);
}

TEST_CASE("old and doubled messages change nothing, and a new start forgets the one before") {
    attachment_table all;
    auto response = from(alpha, 2, 100);
    response.arrivals = {came(5, 99)};
    REQUIRE(take(all, response));
    CHECK_FALSE(take(all, response));
    CHECK_FALSE(take(all, from(alpha, 1, 99)));

    auto restarted = from(alpha, 1, 120);
    restarted.start = 2;
    REQUIRE(take(all, restarted));

    CHECK_FALSE(all.attached(system_number(5)));
    CHECK_FALSE(take(all, response));
}

TEST_CASE("whoever is silent too long has nobody attached") {
    attachment_table all;
    auto response = from(alpha, 1, 100);
    response.arrivals = {came(5, 99)};
    auto other = from(beta, 1, 190);
    other.arrivals = {came(6, 99)};
    REQUIRE(take(all, response, instant(std::chrono::seconds(10))));
    REQUIRE(take(all, other, instant(std::chrono::seconds(20))));

    CHECK(all.expire(instant(std::chrono::seconds(11))) == std::vector{alpha});

    CHECK_FALSE(all.attached(system_number(5)));
    CHECK(all.find(system_number(5))->why == reason::node_lost);
    CHECK(all.last_seen(*all.find(system_number(5))) == 100);
    CHECK(all.attached(system_number(6)));
}

TEST_CASE("a report that cannot be changes nothing") {
    attachment_table all;
    auto huge = from(alpha, 1, 100);
    huge.arrivals = {came(INT64_MAX, 99)};
    CHECK_FALSE(take(all, huge));
    auto zero = from(alpha, 1, 100);
    zero.arrivals = {came(0, 99)};
    CHECK_FALSE(take(all, zero));
    auto unsorted = from(alpha, 1, 100);
    unsorted.arrivals = {came(7, 1), came(6, 1)};
    CHECK_FALSE(take(all, unsorted));
    CHECK(all.attached_in_all() == 0);
    CHECK(all.find(system_number(-1)) == nullptr);
}

TEST_CASE(
    "after whole reports of all nodes the board equals what the nodes hold, whatever came before") {
    prng random(21);
    for (int round = 0; round < 100; ++round) {
        attachment_table all;
        std::map<std::int64_t, std::pair<std::int64_t, seconds>> truth;  // system to node, since
        std::map<std::int64_t, std::uint64_t> sequences;
        seconds now = 1000;
        for (int step = 0; step < 200; ++step) {
            now += 1;
            const std::int64_t node = 1 + static_cast<std::int64_t>(random.below(3));
            const std::int64_t system = 1 + static_cast<std::int64_t>(random.below(3000));
            auto response = from(node_number(node), ++sequences[node], now);
            const auto held = truth.find(system);
            if (held != truth.end() && held->second.first == node && random.chance(500)) {
                truth.erase(held);
                response.departures = {
                    {.system = system_number(system), .why = reason::closed, .at = now}};
            } else {
                truth[system] = {node, now};
                response.arrivals = {came(system, now)};
            }
            if (random.chance(600)) static_cast<void>(take(all, response));
            if (random.chance(200)) static_cast<void>(take(all, response));
        }
        for (std::int64_t node = 1; node <= 3; ++node) {
            auto whole = from(node_number(node), ++sequences[node], ++now);
            whole.whole = report::range{system_number(1), system_number(INT32_MAX)};
            for (const auto& [system, held] : truth)
                if (held.first == node) whole.arrivals.push_back(came(system, held.second));
            REQUIRE(take(all, whole));
        }

        std::map<std::int64_t, std::size_t> counts;
        for (std::int64_t system = 1; system <= 3000; ++system) {
            const auto held = truth.find(system);
            REQUIRE(all.attached(system_number(system)) == (held != truth.end()));
            if (held == truth.end()) continue;
            CHECK(all.find(system_number(system))->node == held->second.first);
            ++counts[held->second.first];
        }
        for (std::int64_t node = 1; node <= 3; ++node)
            CHECK(all.nodes().at(node_number(node)).attached == counts[node]);
    }
}

TEST_CASE("a million systems take 28 bytes each and the pages' list") {
    attachment_table all;
    auto response = from(alpha, 1, 100);
    for (std::int64_t number = 1; number <= 1'000'000; ++number)
        response.arrivals.push_back(came(number, 99));
    REQUIRE(take(all, response));

    CHECK(sizeof(attachment_table::entry) == 28);
    CHECK(all.size_bytes() < 29 * std::size_t{1'000'000});
}

TEST_CASE("a node's clock that is set back between two starts, or runs late, hides nobody") {
    attachment_table all;
    auto response = from(alpha, 1, 1000);
    response.arrivals = {came(5, 999)};
    REQUIRE(take(all, response, instant(std::chrono::seconds(10))));
    auto restarted = from(alpha, 1, 100);
    restarted.start = 2;
    restarted.arrivals = {came(6, 100)};

    REQUIRE(take(all, restarted, instant(std::chrono::seconds(20))));

    CHECK_FALSE(all.attached(system_number(5)));
    CHECK(all.attached(system_number(6)));
    CHECK(all.last_seen(*all.find(system_number(6))) == 100);
    CHECK(all.expire(instant(std::chrono::seconds(20))).empty());
    CHECK(all.expire(instant(std::chrono::seconds(21))) == std::vector{alpha});
}
