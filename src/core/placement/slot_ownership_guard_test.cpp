#include "core/placement/slot_ownership_guard.h"

#include <doctest/doctest.h>

namespace muster::placement {
namespace {

using namespace std::chrono_literals;

constexpr instant start{};
const node_number me(1);
const node_number other(2);
const slot first(0);
const slot second(1);

std::shared_ptr<const slot_table> after(const slot_table& before, const std::vector<move>& moves) {
    return std::make_shared<slot_table>(before.apply_moves(moves).value());
}

TEST_CASE("slots of the first table, and slots that were nobody's, are acted for at once") {
    slot_ownership_guard claims(me, 10s);
    const auto founded = after({}, {{first, node_number(), me}});
    claims.update(founded, start);
    CHECK(claims.may_act(first, start));
    CHECK_FALSE(claims.may_act(second, start));

    claims.update(after(*founded, {{second, node_number(), me}}), start + 1s);

    CHECK(claims.may_act(second, start + 1s));
}

TEST_CASE("a slot taken from another node is acted for only after the handover") {
    slot_ownership_guard claims(me, 10s);
    const auto theirs = after({}, {{first, node_number(), other}});
    claims.update(theirs, start);

    claims.update(after(*theirs, {{first, other, me}}), start + 1s);

    CHECK(claims.owns(first));
    CHECK_FALSE(claims.may_act(first, start + 10s));
    CHECK(claims.may_act(first, start + 11s));
}

TEST_CASE("a node that starts again waits, because it cannot know who had its slots meanwhile") {
    const auto founded = after({}, {{first, node_number(), me}});
    const auto later = after(*founded, {{second, node_number(), other}});
    slot_ownership_guard claims(me, 10s);

    claims.update(later, start);

    CHECK_FALSE(claims.may_act(first, start));
    CHECK(claims.may_act(first, start + 10s));
}

TEST_CASE("a table that others' moves changed leaves a node's own slots alone") {
    slot_ownership_guard claims(me, 10s);
    const auto founded = after({}, {{first, node_number(), me}});
    claims.update(founded, start);

    claims.update(after(*founded, {{second, node_number(), other}}), start + 1s);

    CHECK(claims.may_act(first, start + 1s));
}

TEST_CASE("a slot that was away and came back within tables not seen waits for the handover") {
    slot_ownership_guard claims(me, 10s);
    const auto founded = after({}, {{first, node_number(), me}});
    claims.update(founded, start);
    const auto lost = after(*founded, {{first, me, other}});

    claims.update(after(*lost, {{first, other, me}}), start + 1s);

    CHECK_FALSE(claims.may_act(first, start + 1s));
}

TEST_CASE("an older table is not believed any more") {
    slot_ownership_guard claims(me, 10s);
    const auto founded = after({}, {{first, node_number(), me}});
    const auto moved = after(*founded, {{first, me, other}});
    claims.update(moved, start);

    claims.update(founded, start + 1s);

    CHECK_FALSE(claims.owns(first));
}

}  // namespace
}  // namespace muster::placement
