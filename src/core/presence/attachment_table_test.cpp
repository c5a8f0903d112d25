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

report report_of(node_number node, std::uint64_t sequence, seconds at) {
    return {.node = node, .zone = "default", .start = 1, .sequence = sequence, .at = at};
}

attach_event attach(std::int64_t number, seconds since) {
    return {.system = system_number(number), .address = {}, .since = since};
}

bool apply(attachment_table& table, const report& report, instant now = instant()) {
    return table.apply(report, now);
}

}  // namespace

TEST_CASE("a system is attached to the node that reported it, until that node says it left") {
    attachment_table table;
    auto response = report_of(alpha, 1, 100);
    response.attach_events = {attach(5, 99)};
    REQUIRE(apply(table, response));
    CHECK(table.is_attached(system_number(5)));
    CHECK(table.last_seen(*table.find(system_number(5))) == 100);
    CHECK(table.nodes().at(alpha).attached == 1);

    auto later = report_of(alpha, 2, 110);
    later.detach_events = {{.system = system_number(5), .why = reason::silent, .at = 108}};
    REQUIRE(apply(table, later));

    CHECK_FALSE(table.is_attached(system_number(5)));
    CHECK(table.find(system_number(5))->why == reason::silent);
    CHECK(table.last_seen(*table.find(system_number(5))) == 108);
    CHECK(table.attached_in("default") == 0);
}

TEST_CASE("a whole report mends what was lost, within its range only") {
    attachment_table table;
    auto response = report_of(alpha, 1, 100);
    response.attach_events = {attach(5, 99), attach(7, 99), attach(5000, 99)};
    REQUIRE(apply(table, response));

    auto complete = report_of(alpha, 3, 130);
    complete.complete_range = report::range{system_number(1), system_number(4000)};
    complete.attach_events = {attach(6, 120), attach(7, 99)};
    REQUIRE(apply(table, complete));

    CHECK_FALSE(table.is_attached(system_number(5)));
    CHECK(table.is_attached(system_number(6)));
    CHECK(table.is_attached(system_number(7)));
    CHECK(table.is_attached(system_number(5000)));
    CHECK(table.nodes().at(alpha).attached == 3);
}

TEST_CASE("a node that has not noticed that a system left does not take it back") {
    attachment_table table;
    auto first = report_of(alpha, 1, 100);
    first.attach_events = {attach(5, 100)};
    auto second = report_of(beta, 1, 110);
    second.attach_events = {attach(5, 110)};
    REQUIRE(apply(table, first));
    REQUIRE(apply(table, second));

    auto stale = report_of(alpha, 2, 115);
    stale.complete_range = report::range{system_number(1), system_number(INT32_MAX)};
    stale.attach_events = {attach(5, 100)};
    REQUIRE(apply(table, stale));
    auto goodbye = report_of(alpha, 3, 125);
    goodbye.detach_events = {{.system = system_number(5), .why = reason::silent, .at = 125}};
    REQUIRE(apply(table, goodbye));

    CHECK(table.is_attached(system_number(5)));
    CHECK(table.find(system_number(5))->node == 2);
    CHECK(table.nodes().at(alpha).attached == 0);
    CHECK(table.nodes().at(beta).attached == 1);
}

TEST_CASE("old and doubled messages change nothing, and a new start forgets the one before") {
    attachment_table table;
    auto response = report_of(alpha, 2, 100);
    response.attach_events = {attach(5, 99)};
    REQUIRE(apply(table, response));
    CHECK_FALSE(apply(table, response));
    CHECK_FALSE(apply(table, report_of(alpha, 1, 99)));

    auto restarted = report_of(alpha, 1, 120);
    restarted.start = 2;
    REQUIRE(apply(table, restarted));

    CHECK_FALSE(table.is_attached(system_number(5)));
    CHECK_FALSE(apply(table, response));
}

TEST_CASE("whoever is silent too long has nobody attached") {
    attachment_table table;
    auto response = report_of(alpha, 1, 100);
    response.attach_events = {attach(5, 99)};
    auto other = report_of(beta, 1, 190);
    other.attach_events = {attach(6, 99)};
    REQUIRE(apply(table, response, instant(std::chrono::seconds(10))));
    REQUIRE(apply(table, other, instant(std::chrono::seconds(20))));

    CHECK(table.expire(instant(std::chrono::seconds(11))) == std::vector{alpha});

    CHECK_FALSE(table.is_attached(system_number(5)));
    CHECK(table.find(system_number(5))->why == reason::node_lost);
    CHECK(table.last_seen(*table.find(system_number(5))) == 100);
    CHECK(table.is_attached(system_number(6)));
}

TEST_CASE("a report that cannot be changes nothing") {
    attachment_table table;
    auto huge = report_of(alpha, 1, 100);
    huge.attach_events = {attach(INT64_MAX, 99)};
    CHECK_FALSE(apply(table, huge));
    auto zero = report_of(alpha, 1, 100);
    zero.attach_events = {attach(0, 99)};
    CHECK_FALSE(apply(table, zero));
    auto unsorted = report_of(alpha, 1, 100);
    unsorted.attach_events = {attach(7, 1), attach(6, 1)};
    CHECK_FALSE(apply(table, unsorted));
    CHECK(table.attached_total() == 0);
    CHECK(table.find(system_number(-1)) == nullptr);
}

TEST_CASE(
    "after whole reports of all nodes the board equals what the nodes hold, whatever came before") {
    prng random(21);
    for (int round = 0; round < 100; ++round) {
        attachment_table table;
        std::map<std::int64_t, std::pair<std::int64_t, seconds>> truth;  // system to node, since
        std::map<std::int64_t, std::uint64_t> sequences;
        seconds now = 1000;
        for (int step = 0; step < 200; ++step) {
            now += 1;
            const std::int64_t node = 1 + static_cast<std::int64_t>(random.below(3));
            const std::int64_t system = 1 + static_cast<std::int64_t>(random.below(3000));
            auto response = report_of(node_number(node), ++sequences[node], now);
            const auto held = truth.find(system);
            if (held != truth.end() && held->second.first == node && random.chance(500)) {
                truth.erase(held);
                response.detach_events = {
                    {.system = system_number(system), .why = reason::closed, .at = now}};
            } else {
                truth[system] = {node, now};
                response.attach_events = {attach(system, now)};
            }
            if (random.chance(600)) static_cast<void>(apply(table, response));
            if (random.chance(200)) static_cast<void>(apply(table, response));
        }
        for (std::int64_t node = 1; node <= 3; ++node) {
            auto complete = report_of(node_number(node), ++sequences[node], ++now);
            complete.complete_range = report::range{system_number(1), system_number(INT32_MAX)};
            for (const auto& [system, held] : truth)
                if (held.first == node)
                    complete.attach_events.push_back(attach(system, held.second));
            REQUIRE(apply(table, complete));
        }

        std::map<std::int64_t, std::size_t> counts;
        for (std::int64_t system = 1; system <= 3000; ++system) {
            const auto held = truth.find(system);
            REQUIRE(table.is_attached(system_number(system)) == (held != truth.end()));
            if (held == truth.end()) continue;
            CHECK(table.find(system_number(system))->node == held->second.first);
            ++counts[held->second.first];
        }
        for (std::int64_t node = 1; node <= 3; ++node)
            CHECK(table.nodes().at(node_number(node)).attached == counts[node]);
    }
}

TEST_CASE("a million systems take 28 bytes each and the pages' list") {
    attachment_table table;
    auto response = report_of(alpha, 1, 100);
    for (std::int64_t number = 1; number <= 1'000'000; ++number)
        response.attach_events.push_back(attach(number, 99));
    REQUIRE(apply(table, response));

    CHECK(sizeof(attachment_table::entry) == 28);
    CHECK(table.size_bytes() < 29 * std::size_t{1'000'000});
}

TEST_CASE("a node's clock that is set back between two starts, or runs late, hides nobody") {
    attachment_table table;
    auto response = report_of(alpha, 1, 1000);
    response.attach_events = {attach(5, 999)};
    REQUIRE(apply(table, response, instant(std::chrono::seconds(10))));
    auto restarted = report_of(alpha, 1, 100);
    restarted.start = 2;
    restarted.attach_events = {attach(6, 100)};

    REQUIRE(apply(table, restarted, instant(std::chrono::seconds(20))));

    CHECK_FALSE(table.is_attached(system_number(5)));
    CHECK(table.is_attached(system_number(6)));
    CHECK(table.last_seen(*table.find(system_number(6))) == 100);
    CHECK(table.expire(instant(std::chrono::seconds(20))).empty());
    CHECK(table.expire(instant(std::chrono::seconds(21))) == std::vector{alpha});
}
