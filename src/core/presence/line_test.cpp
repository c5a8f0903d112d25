#include "core/presence/line.h"

#include <doctest/doctest.h>

#include <vector>

using namespace muster;
using namespace muster::presence;
using namespace muster::presence::history;
using namespace std::chrono_literals;
using session::reason;

namespace {

const wall_time noon(1'800'014'400s);
const node_number alpha(1);
const node_number beta(2);

statement says(claim what, node_number node, int second, reason why = reason::unknown) {
    const auto at = noon + std::chrono::seconds(second);
    return {.at = at, .told = at, .what = what, .node = node, .why = why};
}

std::vector<segment> line_of(const std::vector<statement>& all, int until) {
    line made(noon);
    for (const auto& each : all) made.take(each);
    return made.finish(noon + std::chrono::seconds(until));
}

std::vector<whereabouts> where_of(const std::vector<segment>& all) {
    std::vector<whereabouts> made;
    for (const auto& each : all) made.push_back(each.where);
    return made;
}

}  // namespace

TEST_CASE("a system that moves is attached to one node and then to the other") {
    const auto told = line_of(
        {says(claim::begins_with, alpha, 0),
         says(claim::begins_without, beta, 0),
         says(claim::came, beta, 50),
         says(claim::left, alpha, 80, reason::silent)},
        100);

    REQUIRE(told.size() == 2);
    CHECK(told[0].node == alpha);
    CHECK(told[0].until == noon + 50s);
    CHECK(told[1].node == beta);
    CHECK(told[1].where == whereabouts::attached);
}

TEST_CASE("a system that left is away, with the reason") {
    const auto told = line_of(
        {says(claim::begins_with, alpha, 0), says(claim::left, alpha, 30, reason::closed)}, 100);

    REQUIRE(told.size() == 2);
    CHECK(told[1].where == whereabouts::away);
    CHECK(told[1].why == reason::closed);
    CHECK(told[1].node == alpha);
}

TEST_CASE("nothing is known before anything was on record") {
    const auto told = line_of({says(claim::begins_with, alpha, 40)}, 100);

    REQUIRE(where_of(told) == std::vector{whereabouts::unknown, whereabouts::attached});
}

TEST_CASE("of a silent node's systems nothing is known until its loss is noticed") {
    const auto told = line_of(
        {says(claim::begins_with, alpha, 0),
         says(claim::silent, alpha, 30),
         says(claim::lost, alpha, 45)},
        100);

    REQUIRE(
        where_of(told)
        == std::vector{whereabouts::attached, whereabouts::unknown, whereabouts::away});
    CHECK(told[2].why == reason::node_lost);
}

TEST_CASE("who is attached elsewhere does not care for a silent node") {
    const auto told = line_of(
        {says(claim::begins_with, alpha, 0),
         says(claim::begins_without, beta, 0),
         says(claim::silent, beta, 30)},
        100);

    CHECK(where_of(told) == std::vector{whereabouts::attached});
}

TEST_CASE("who is away may be attached to a silent node: that is not known") {
    const auto told = line_of(
        {says(claim::begins_without, alpha, 0),
         says(claim::silent, alpha, 30),
         says(claim::begins_without, alpha, 60)},
        100);

    CHECK(
        where_of(told) == std::vector{whereabouts::away, whereabouts::unknown, whereabouts::away});
}

TEST_CASE("a node that was missed and came back can still fall silent") {
    const auto told = line_of(
        {says(claim::begins_with, alpha, 0),
         says(claim::lost, alpha, 30),
         says(claim::silent, alpha, 500)},
        600);

    CHECK(where_of(told) == std::vector{whereabouts::attached, whereabouts::unknown});
}

TEST_CASE("two records that begin with the same system: it is not known which has it") {
    const std::vector<statement> both{
        says(claim::begins_with, alpha, 0), says(claim::begins_with, beta, 10)};

    auto one_notices = both;
    one_notices.push_back(says(claim::left, alpha, 60, reason::silent));
    const auto told = line_of(one_notices, 3'000);

    REQUIRE(
        where_of(told)
        == std::vector{
            whereabouts::attached,
            whereabouts::unknown,
            whereabouts::unknown,
            whereabouts::attached});
    CHECK(told[1].node == alpha);
    CHECK(told[2].node == beta);
    CHECK(told.back().node == beta);
    CHECK(told.back().from == noon + 10s + line::unnoticed_max);
    auto both_notice = one_notices;
    both_notice.push_back(says(claim::left, beta, 70, reason::silent));
    CHECK(line_of(both_notice, 100).back().where == whereabouts::away);
}

TEST_CASE("a second attachment to the same node is told as another one") {
    const auto told =
        line_of({says(claim::begins_with, alpha, 0), says(claim::came, alpha, 40)}, 100);

    REQUIRE(told.size() == 2);
    CHECK(told[1].from == noon + 40s);
}
