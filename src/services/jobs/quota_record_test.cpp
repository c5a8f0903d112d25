#include "services/jobs/quota_record.h"

#include "base/prng.h"
#include "core/placement/slot_table.h"
#include "services/jobs/node_quota_states.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::jobs {
namespace {

const auto some_job = parse_job_id("20261116051234123456").value();

TEST_CASE("what is written of a job's limits is read as it was") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const auto any = [&random] {
            return random.below(1'000'000);
        };
        const rollout::grant grant{
            .goal = {.concurrency = any(), .starts_milli = any()},
            .ceiling = {.concurrency = any(), .starts_milli = any()},
            .elsewhere = any(),
            .epoch = static_cast<std::int64_t>(any()),
            .holder = "process " + std::to_string(any())};
        CHECK(decode_grant(encode(grant)).value() == grant);

        rollout::share_report report{
            .epoch = static_cast<std::int64_t>(any()),
            .startable = any(),
            .used = any(),
            .unsettled_epoch = static_cast<std::int64_t>(any())};
        for (std::uint64_t each = 0; each < random.below(4); ++each)
            report.charged[node_id("node" + std::to_string(each))] = any();
        CHECK(decode_share_report(encode(report)).value() == report);

        const plan_record plan{.topology = kv::revision(static_cast<std::int64_t>(any()))};
        CHECK(decode_plan(encode(plan)).value() == plan);
    }
}

TEST_CASE("a record that is none is called corrupt, by the name of what is wrong") {
    const auto text = encode(rollout::grant{});
    CHECK(decode_grant(text.substr(1)).error().code() == errc::corrupt);
    CHECK(to_string(decode_grant("{}").error()).contains("goal_places"));
    auto negative = encode(rollout::share_report{.charged = {{node_id("a"), 7}}});
    negative.replace(negative.find('7'), 1, "-7");
    CHECK(to_string(decode_share_report(negative).error()).contains("charged"));
}

TEST_CASE("a key tells what it is of, and no other key is taken for one") {
    const node_id node("web-1.example");
    const auto grant = parse_quota_key(grant_key(node, some_job));
    REQUIRE(grant.has_value());
    CHECK(grant->kind == quota_key::record_kind::grant);
    CHECK(grant->node == node.str());
    CHECK(grant->job == some_job);
    CHECK(grant_key(node, some_job).starts_with(grants_prefix(node)));
    CHECK(parse_quota_key(report_key(node, some_job))->kind == quota_key::record_kind::report);
    CHECK(parse_quota_key(plan_key(some_job))->kind == quota_key::record_kind::plan);
    for (const std::string other :
         {"rollout/", "rollout/plans/x", "rollout/grants/20261116051234123456", "topology/slots/x"})
        CHECK_FALSE(parse_quota_key(other).has_value());
}

TEST_CASE("a job without batch and rate has no limits to share") {
    job_record job{.job = some_job, .targets = 10};
    CHECK_FALSE(limits_of(job).has_value());
    job.spec.rollout.batch = amount{.value = 3};
    CHECK(limits_of(job)->concurrency == 3);
    CHECK_FALSE(limits_of(job)->starts_milli.has_value());
}

TEST_CASE("the census tells who has slots, who is out, and of owners that are not listed") {
    cluster::topology topology;
    const auto add = [&topology](
                         std::int64_t number, const char* name, membership::node_state state) {
        topology.nodes[name] = {
            .number = node_number(number), .name = name, .zone = "default", .state = state};
        topology.node_names[node_number(number)] = name;
    };
    add(1, "alpha", membership::node_state::serving);
    add(2, "beta", membership::node_state::faulty);
    topology.servers["alpha"] = {};
    const auto first = placement::slot_table().apply_moves(
        {{.moved_slot = slot(0), .from = {}, .to = node_number(1)},
         {.moved_slot = slot(1), .from = {}, .to = node_number(9)}});
    const auto second =
        first->apply_moves({{.moved_slot = slot(1), .from = node_number(9), .to = node_number(8)}});
    topology.slots["default"] = std::make_shared<const placement::slot_table>(*second);

    const auto states = read_quota_states(topology);

    const auto& alpha = states.at("alpha");
    CHECK(alpha.owns_slots);
    CHECK(alpha.online);
    CHECK_FALSE(alpha.gone);
    CHECK(alpha.epoch == 2);
    CHECK(alpha.changed == 1);
    CHECK(states.at("beta").gone);
    CHECK_FALSE(states.at("beta").owns_slots);
    CHECK(states.at("#8").owns_slots);
    CHECK_FALSE(states.at("#8").online);
}

}  // namespace
}  // namespace muster::jobs
