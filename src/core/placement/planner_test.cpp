#include "core/placement/planner.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <rapidcheck.h>
#include <vector>

namespace muster::placement {
namespace {

std::vector<member> serving(std::size_t nodes) {
    std::vector<member> members;
    for (std::size_t number = 1; number <= nodes; ++number)
        members.push_back({.node = node_number(static_cast<std::int64_t>(number))});
    return members;
}

weights random_weights(std::uint64_t seed, std::uint64_t systems) {
    prng random(seed);
    weights cost{};
    for (std::uint64_t system = 0; system < systems; ++system) ++cost[random.below(slot::count)];
    return cost;
}

using load_by_node = std::map<node_number, std::uint64_t>;

load_by_node loads(const slot_table& table, const weights& cost) {
    load_by_node sums;
    for (const auto& [owner, slots] : table.by_owner()) {
        for (const slot slot : slots) sums[owner] += cost[slot.number()];
    }
    return sums;
}

slot_table planned(
    const slot_table& table, const std::vector<member>& members, const weights& cost) {
    return table.apply_moves(build_plan(table, members, cost, {}).moves).value();
}

std::uint64_t moved_weight(const plan& plan, const weights& cost) {
    std::uint64_t sum = 0;
    for (const move& step : plan.moves) sum += cost[step.moved_slot.number()];
    return sum;
}

double heaviest_over_mean(const slot_table& table, const weights& cost, std::size_t nodes) {
    const auto sums = loads(table, cost);
    const auto heaviest = std::ranges::max(sums | std::views::values);
    const auto total = std::accumulate(cost.begin(), cost.end(), std::uint64_t{0});
    return static_cast<double>(heaviest) * static_cast<double>(nodes) / static_cast<double>(total);
}

TEST_CASE("every slot of a new zone finds a node, and all nodes are near their share") {
    CHECK(rc::check([](std::uint16_t seed) {
        const std::size_t nodes = 2 + seed % 40;
        const weights cost = random_weights(seed, 20'000);

        const slot_table table = planned({}, serving(nodes), cost);

        RC_ASSERT(!table.by_owner().contains(node_number()));
        RC_ASSERT(heaviest_over_mean(table, cost, nodes) <= 1.06);
    }));
}

TEST_CASE("a small fleet comes out even to one system") {
    const weights cost = random_weights(4711, 100);

    const auto sums = loads(planned({}, serving(3), cost), cost);

    CHECK(std::ranges::max(sums | std::views::values) <= 34);
    CHECK(std::ranges::min(sums | std::views::values) >= 33);
}

TEST_CASE("empty slots are spread too, for the systems still to come") {
    const weights cost = random_weights(13, 5);

    for (const auto& [owner, slots] : planned({}, serving(4), cost).by_owner())
        CHECK(slots.size() == doctest::Approx(4096).epsilon(0.01));
}

TEST_CASE("a lost node's slots are spread and nobody else's move") {
    CHECK(rc::check([](std::uint16_t seed) {
        const std::size_t nodes = 3 + seed % 30;
        const weights cost = random_weights(seed, 20'000);
        const slot_table before = planned({}, serving(nodes), cost);
        auto members = serving(nodes);
        const node_number lost = members[seed % nodes].node;
        std::erase_if(members, [&](const member& member) { return member.node == lost; });

        const plan plan = build_plan(before, members, cost, {});

        for (const move& step : plan.moves) RC_ASSERT(step.from == lost);
        const slot_table after = before.apply_moves(plan.moves).value();
        RC_ASSERT(!after.by_owner().contains(lost));
        RC_ASSERT(heaviest_over_mean(after, cost, nodes - 1) <= 1.1);
    }));
}

TEST_CASE("a joining node gets its share, and no more than that moves") {
    CHECK(rc::check([](std::uint16_t seed) {
        const std::size_t nodes = 2 + seed % 60;
        const weights cost = random_weights(seed, 40'000);
        const slot_table before = planned({}, serving(nodes), cost);

        const plan plan = build_plan(before, serving(nodes + 1), cost, {});

        const slot_table after = before.apply_moves(plan.moves).value();
        const double share = 40'000.0 / static_cast<double>(nodes + 1);
        RC_ASSERT(static_cast<double>(moved_weight(plan, cost)) <= share * 1.2);
        RC_ASSERT(heaviest_over_mean(after, cost, nodes + 1) <= 1.1);
        const auto newcomer = node_number(static_cast<std::int64_t>(nodes + 1));
        RC_ASSERT(static_cast<double>(loads(after, cost)[newcomer]) >= share * 0.9);
    }));
}

TEST_CASE("a node that is away keeps its slots and nobody moves") {
    const weights cost = random_weights(7, 30'000);
    const slot_table table = planned({}, serving(5), cost);
    auto members = serving(5);
    members[2].state = member_state::away;

    CHECK(build_plan(table, members, cost, {}).moves.empty());
}

// Each node owns as many slots as is said, all of the same weight.
slot_table dealt_out(const std::vector<std::size_t>& slots) {
    std::vector<move> moves;
    std::size_t next = 0;
    for (std::size_t node = 0; node < slots.size(); ++node) {
        const node_number owner(static_cast<std::int64_t>(node + 1));
        for (std::size_t count = 0; count < slots[node]; ++count)
            moves.push_back({.moved_slot = slot(next++), .from = node_number(), .to = owner});
    }
    return slot_table().apply_moves(moves).value();
}

TEST_CASE("in a zone that is even nobody moves, whoever goes away, and whoever comes back") {
    CHECK(rc::check([](std::uint16_t seed) {
        prng random(seed);
        const std::size_t nodes = 3 + random.below(20);
        weights cost{};
        cost.fill(1 + random.below(5));
        // Some have nearly as much more than their share as others have less: all within bounds.
        const std::size_t share = slot::count / nodes;
        std::vector<std::size_t> slots(nodes, share);
        slots.back() += slot::count - share * nodes;
        for (std::size_t pair = 0; pair + 2 < nodes; pair += 2) {
            const std::size_t shift = random.below(share * 47 / 1000);
            slots[pair] += shift;
            slots[pair + 1] -= shift;
        }
        const slot_table table = dealt_out(slots);
        auto members = serving(nodes);
        RC_ASSERT(build_plan(table, members, cost, {}).moves.empty());

        for (std::size_t gone = 0; gone + 1 < nodes; gone += 1 + random.below(3)) {
            members[gone].state = member_state::away;
            RC_ASSERT(build_plan(table, members, cost, {}).moves.empty());
        }
        RC_ASSERT(build_plan(table, serving(nodes), cost, {}).moves.empty());
    }));
}

TEST_CASE("one who joins while another is away gets slots all the same") {
    const weights cost = random_weights(14, 30'000);
    const slot_table table = planned({}, serving(3), cost);
    auto members = serving(4);
    members[0].state = member_state::away;

    const auto sums = loads(planned(table, members, cost), cost);

    CHECK(sums.at(node_number(4)) > 5'000);
    CHECK(sums.at(node_number(1)) == loads(table, cost).at(node_number(1)));
}

TEST_CASE("a leaving node gives everything away") {
    const weights cost = random_weights(8, 30'000);
    const slot_table table = planned({}, serving(4), cost);
    auto members = serving(4);
    members[0].state = member_state::leaving;

    CHECK_FALSE(planned(table, members, cost).by_owner().contains(members[0].node));
}

TEST_CASE("a node with twice the capacity carries twice the load") {
    const weights cost = random_weights(9, 90'000);
    auto members = serving(2);
    members[1].capacity = 2;

    const auto sums = loads(planned({}, members, cost), cost);

    CHECK(sums.at(node_number(1)) == doctest::Approx(30'000).epsilon(0.05));
    CHECK(sums.at(node_number(2)) == doctest::Approx(60'000).epsilon(0.05));
}

TEST_CASE("a hard limit is never exceeded: what fits nowhere is reported") {
    const weights cost = random_weights(10, 10'000);
    auto members = serving(2);
    for (member& member : members) member.load_max = 4'000;

    const plan plan = build_plan({}, members, cost, {});

    const auto sums = loads(slot_table().apply_moves(plan.moves).value(), cost);
    CHECK(sums.at(node_number(1)) <= 4'000);
    CHECK(sums.at(node_number(2)) <= 4'000);
    CHECK_FALSE(plan.unplaced.empty());
}

TEST_CASE("evening out is capped, placing the homeless is not") {
    const weights cost = random_weights(11, 10'000);
    const slot_table table = planned({}, serving(3), cost);
    auto members = serving(4);

    CHECK(build_plan(table, members, cost, {.rebalance_moves_max = 10}).moves.size() == 20);
    members.erase(members.begin());
    CHECK(build_plan(table, members, cost, {.rebalance_moves_max = 0}).moves.size() > 5'000);
}

TEST_CASE("a balanced zone is left alone, and with no node at all everything is unplaced") {
    const weights cost = random_weights(12, 10'000);
    const slot_table table = planned({}, serving(6), cost);

    CHECK(build_plan(table, serving(6), cost, {}).moves.empty());
    CHECK(build_plan(table, {}, cost, {}).unplaced.size() == slot::count);
}

}  // namespace
}  // namespace muster::placement
