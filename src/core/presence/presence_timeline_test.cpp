#include "core/presence/presence_timeline.h"

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

statement says(statement_kind claim, node_number node, int second, reason why = reason::unknown) {
    const auto at = noon + std::chrono::seconds(second);
    return {.at = at, .recorded = at, .kind = claim, .node = node, .why = why};
}

std::vector<segment> timeline_of(const std::vector<statement>& items, int until) {
    presence_timeline presence_timeline(noon);
    for (const auto& item : items) presence_timeline.add(item);
    return presence_timeline.finish(noon + std::chrono::seconds(until));
}

std::vector<attachment_state> states_of(const std::vector<segment>& items) {
    std::vector<attachment_state> attachment_states;
    for (const auto& item : items) attachment_states.push_back(item.state);
    return attachment_states;
}

}  // namespace

TEST_CASE("a system that moves is attached to one node and then to the other") {
    const auto line = timeline_of(
        {says(statement_kind::starts_attached, alpha, 0),
         says(statement_kind::starts_detached, beta, 0),
         says(statement_kind::attached, beta, 50),
         says(statement_kind::detached, alpha, 80, reason::silent)},
        100);

    REQUIRE(line.size() == 2);
    CHECK(line[0].node == alpha);
    CHECK(line[0].until == noon + 50s);
    CHECK(line[1].node == beta);
    CHECK(line[1].state == attachment_state::attached);
}

TEST_CASE("a system that left is away, with the reason") {
    const auto line = timeline_of(
        {says(statement_kind::starts_attached, alpha, 0),
         says(statement_kind::detached, alpha, 30, reason::closed)},
        100);

    REQUIRE(line.size() == 2);
    CHECK(line[1].state == attachment_state::away);
    CHECK(line[1].why == reason::closed);
    CHECK(line[1].node == alpha);
}

TEST_CASE("nothing is known before anything was on record") {
    const auto line = timeline_of({says(statement_kind::starts_attached, alpha, 40)}, 100);

    REQUIRE(states_of(line) == std::vector{attachment_state::unknown, attachment_state::attached});
}

TEST_CASE("of a silent node's systems nothing is known until its loss is noticed") {
    const auto line = timeline_of(
        {says(statement_kind::starts_attached, alpha, 0),
         says(statement_kind::silent, alpha, 30),
         says(statement_kind::lost, alpha, 45)},
        100);

    REQUIRE(
        states_of(line)
        == std::vector{
            attachment_state::attached, attachment_state::unknown, attachment_state::away});
    CHECK(line[2].why == reason::node_lost);
}

TEST_CASE("who is attached elsewhere does not care for a silent node") {
    const auto line = timeline_of(
        {says(statement_kind::starts_attached, alpha, 0),
         says(statement_kind::starts_detached, beta, 0),
         says(statement_kind::silent, beta, 30)},
        100);

    CHECK(states_of(line) == std::vector{attachment_state::attached});
}

TEST_CASE("who is away may be attached to a silent node: that is not known") {
    const auto line = timeline_of(
        {says(statement_kind::starts_detached, alpha, 0),
         says(statement_kind::silent, alpha, 30),
         says(statement_kind::starts_detached, alpha, 60)},
        100);

    CHECK(
        states_of(line)
        == std::vector{attachment_state::away, attachment_state::unknown, attachment_state::away});
}

TEST_CASE("a node that was missed and came back can still fall silent") {
    const auto line = timeline_of(
        {says(statement_kind::starts_attached, alpha, 0),
         says(statement_kind::lost, alpha, 30),
         says(statement_kind::silent, alpha, 500)},
        600);

    CHECK(states_of(line) == std::vector{attachment_state::attached, attachment_state::unknown});
}

TEST_CASE("two records that begin with the same system: it is not known which has it") {
    const std::vector<statement> both{
        says(statement_kind::starts_attached, alpha, 0),
        says(statement_kind::starts_attached, beta, 10)};

    auto one_notices = both;
    one_notices.push_back(says(statement_kind::detached, alpha, 60, reason::silent));
    const auto line = timeline_of(one_notices, 3'000);

    REQUIRE(
        states_of(line)
        == std::vector{
            attachment_state::attached,
            attachment_state::unknown,
            attachment_state::unknown,
            attachment_state::attached});
    CHECK(line[1].node == alpha);
    CHECK(line[2].node == beta);
    CHECK(line.back().node == beta);
    CHECK(line.back().from == noon + 10s + presence_timeline::unnoticed_max);
    auto both_notice = one_notices;
    both_notice.push_back(says(statement_kind::detached, beta, 70, reason::silent));
    CHECK(timeline_of(both_notice, 100).back().state == attachment_state::away);
}

TEST_CASE("a second attachment to the same node is told as another one") {
    const auto line = timeline_of(
        {says(statement_kind::starts_attached, alpha, 0),
         says(statement_kind::attached, alpha, 40)},
        100);

    REQUIRE(line.size() == 2);
    CHECK(line[1].from == noon + 40s);
}
