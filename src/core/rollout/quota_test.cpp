#include "core/rollout/quota.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace muster::rollout {
namespace {

node_view node(const char* name, std::uint64_t startable, std::optional<grant> record = {}) {
    node_view view{
        .node = node_id(name),
        .record = std::move(record),
        .report = {},
        .epoch = 1,
        .slots_changed = 1};
    view.report = share_report{.epoch = 1, .startable = startable};
    return view;
}

grant holding(std::uint64_t places) {
    return {
        .goal = {.concurrency = places}, .ceiling = {.concurrency = places}, .holder = "process"};
}

constexpr std::size_t all_changes = 100;

TEST_CASE("a limit is split evenly among those who have work") {
    const auto changes = plan_grants(
        {.concurrency = 10, .starts_milli = {}},
        {node("a", 100), node("b", 100), node("c", 1), node("d", 0)},
        all_changes);

    REQUIRE(changes.size() == 3);
    CHECK(changes[0].updated.ceiling.concurrency == 5);
    CHECK(changes[1].updated.ceiling.concurrency == 4);
    CHECK(changes[2].updated.ceiling.concurrency == 1);
}

TEST_CASE("a grant rises only after the giver's ceiling came down") {
    auto rich = node("a", 100, holding(10));
    rich.report->used = 10;
    const auto request =
        plan_grants({.concurrency = 10, .starts_milli = {}}, {rich, node("b", 100)}, all_changes);
    REQUIRE(request.size() == 1);
    CHECK(request[0].updated.goal.concurrency == 5);
    CHECK(request[0].updated.ceiling.concurrency == 10);

    rich.record = request[0].updated;
    rich.record->ceiling.concurrency = 7;
    const auto next =
        plan_grants({.concurrency = 10, .starts_milli = {}}, {rich, node("b", 100)}, all_changes);

    REQUIRE(next.size() == 1);
    CHECK(next[0].node == node_id("b"));
    CHECK(next[0].updated.ceiling.concurrency == 3);
}

// Between the two it starts tasks in slots it does not know to be lost; a later date would tell it
// that those are accounted for.
TEST_CASE("a first grant is dated with the slot table that its node knows, not with a newer one") {
    auto behind = node("a", 100);
    behind.epoch = 5;
    behind.report->epoch = 4;

    const auto changes =
        plan_grants({.concurrency = 10, .starts_milli = {}}, {behind}, all_changes);

    REQUIRE(changes.size() == 1);
    CHECK(changes[0].updated.goal.concurrency == 10);
    CHECK(changes[0].updated.epoch == 4);
}

TEST_CASE("what a gone node started is charged until the reports of its heirs say it ended") {
    auto gone = node("a", 0, holding(4));
    gone.report.reset();
    gone.owns_slots = false;
    gone.gone = true;
    auto heir = node("b", 100);
    heir.epoch = heir.slots_changed = 2;
    CHECK(
        plan_grants({.concurrency = 4, .starts_milli = {}}, {gone, heir}, all_changes).size() == 1);

    heir.report->epoch = 2;
    heir.report->charged[node_id("a")] = 3;
    const auto settled =
        plan_grants({.concurrency = 4, .starts_milli = {}}, {gone, heir}, all_changes);

    REQUIRE(settled.size() == 2);
    CHECK(settled[0].updated.ceiling.concurrency == 3);
    CHECK(settled[1].updated.ceiling.concurrency == 1);
}

TEST_CASE("a rate below one a second goes to a single node, one that has a place") {
    const auto changes = plan_grants(
        {.concurrency = 1, .starts_milli = 500}, {node("a", 9), node("b", 9)}, all_changes);

    REQUIRE(changes.size() == 1);
    CHECK(changes[0].updated.ceiling == allowance{.concurrency = 1, .starts_milli = 500});
}

TEST_CASE("a holder uses nothing before it took the record over") {
    grant_holder holder("second", 5);
    CHECK_FALSE(holder.next_write(0).has_value());
    grant record = holding(3);
    record.epoch = 5;
    holder.observe(record, 10);
    CHECK(holder.usable() == allowance{});

    const auto taking_over = holder.next_write(0);
    REQUIRE(taking_over.has_value());
    CHECK(taking_over->revision == 10);
    holder.observe(taking_over->record, 11);

    CHECK(holder.usable().concurrency == 3);
}

TEST_CASE("a holder waits for the word on what left with its slots before it began") {
    grant_holder holder("process", 5);
    grant record = holding(3);
    record.epoch = 4;
    holder.observe(record, 10);
    CHECK(holder.usable() == allowance{});

    record.epoch = 5;
    holder.observe(record, 11);

    CHECK(holder.usable().concurrency == 3);
}

TEST_CASE("a holder gives back what it neither uses nor is meant to have") {
    grant_holder holder("process", 0);
    grant record = holding(5);
    record.goal.concurrency = 2;
    holder.observe(record, 1);
    CHECK(holder.usable().concurrency == 2);

    CHECK(holder.next_write(4)->record.ceiling.concurrency == 4);
    CHECK(holder.next_write(1)->record.ceiling.concurrency == 2);
    CHECK_FALSE(holder.next_write(5).has_value());
}

TEST_CASE("a holder that does not know yet what is charged to it gives nothing back") {
    grant_holder holder("process", 3);
    grant record = holding(5);
    record.goal.concurrency = 0;
    holder.observe(record, 1);

    CHECK_FALSE(holder.next_write(0).has_value());
}

TEST_CASE("an older version of the record changes nothing") {
    grant_holder holder("process", 0);
    holder.observe(holding(2), 7);

    holder.observe(holding(5), 6);

    CHECK(holder.usable().concurrency == 2);
}

TEST_CASE("a node that never had a grant needs nobody's report before it starts") {
    auto silent = node("b", 0);
    silent.report.reset();
    const auto changes =
        plan_grants({.concurrency = 4, .starts_milli = {}}, {node("a", 100), silent}, all_changes);

    REQUIRE(changes.size() == 1);
    CHECK(changes[0].node == node_id("a"));
    CHECK(changes[0].updated.ceiling.concurrency == 4);
    CHECK(changes[0].updated.epoch == 1);
}

TEST_CASE("a node that has nothing to do gets no record, though it waits to be told") {
    auto idle = node("a", 0);
    idle.report->unsettled_epoch = 1;
    CHECK(plan_grants({.concurrency = 4, .starts_milli = {}}, {idle}, all_changes).empty());
}

node_view any_node(std::size_t number, prng& random) {
    auto view = node(("n" + std::to_string(number)).c_str(), random.below(12));
    view.report->used = random.below(6);
    view.report->running = random.below(9);
    view.report->unsettled_epoch = static_cast<std::int64_t>(random.below(3));
    for (std::size_t starter = 0; starter < 4; ++starter)
        if (random.below(2) == 0)
            view.report->charged[node_id("n" + std::to_string(starter))] = random.below(3);
    if (random.below(2) == 0) view.record = holding(random.below(5));
    return view;
}

TEST_CASE("the outlines of reports lead to the same plan as the reports") {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        cluster_limits limits{.concurrency = 1 + random.below(20), .starts_milli = {}};
        if (random.below(2) == 0) limits.starts_milli = 1 + random.below(9'000);
        if (limits.starts_milli && random.below(2) == 0) limits.concurrency.reset();
        std::vector<node_view> nodes;
        for (std::size_t index = 0; index < 1 + random.below(4); ++index)
            nodes.push_back(any_node(index, random));

        auto summarized = nodes;
        for (auto& node : summarized) node.report = summarize(*node.report, node.node, limits);

        CHECK(
            plan_grants(limits, summarized, all_changes)
            == plan_grants(limits, nodes, all_changes));
    }
}

TEST_CASE("every split is fair, whole and within the wishes") {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        std::vector<demand> demands(1 + random.below(8));
        for (demand& demand : demands) demand = {random.below(20), random.below(20)};
        const std::uint64_t total = random.below(60);

        const auto parts = split(total, demands);

        std::uint64_t desired = 0;
        for (const demand& demand : demands) desired += demand.amount;
        CHECK(
            std::accumulate(parts.begin(), parts.end(), std::uint64_t{0})
            == std::min(total, desired));
        const std::uint64_t most = *std::ranges::max_element(parts);
        for (std::size_t at = 0; at < parts.size(); ++at) {
            CHECK(parts[at] <= demands[at].amount);
            if (parts[at] < demands[at].amount) CHECK(parts[at] + 1 >= most);
        }
    }
}

}  // namespace
}  // namespace muster::rollout
