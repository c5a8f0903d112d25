#include "core/presence/timeline_input.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::presence::history;
using namespace std::chrono_literals;

namespace {

const wall_time noon(1'800'014'400s);

report_period of_alpha(std::int64_t start, wall_time opened, wall_time until, period_end ending) {
    return {
        .node = node_number(1), .start = start, .opened = opened, .until = until, .end = ending};
}

}  // namespace

TEST_CASE("a chapter that goes on from a full one neither begins nor ends anything") {
    const auto placed = order_periods(
        {of_alpha(1, noon, noon + 6h, period_end::full),
         of_alpha(1, noon + 6h, noon + 7h, period_end::open)},
        noon + 7h);

    REQUIRE(placed.size() == 2);
    CHECK(placed[0].starts);
    CHECK_FALSE(placed[0].end.has_value());
    CHECK_FALSE(placed[1].starts);
    CHECK_FALSE(placed[1].end.has_value());
}

TEST_CASE("a node of whom nothing was heard for too long is silent from its last word on") {
    const auto chapter = of_alpha(1, noon, noon + 1h, period_end::open);

    CHECK_FALSE(order_periods({chapter}, noon + 1h + silence_max)[0].end.has_value());
    CHECK(order_periods({chapter}, noon + 1h + silence_max + 1s)[0].end == statement_kind::silent);
}

TEST_CASE("another start of a node begins anew, whatever the one before said") {
    const auto placed = order_periods(
        {of_alpha(1, noon, noon + 1h, period_end::open),
         of_alpha(2, noon + 1h, noon + 2h, period_end::open)},
        noon + 2h);

    CHECK(placed[0].end == statement_kind::silent);
    CHECK(placed[1].starts);
    CHECK(start_statement(placed[1], false).why == muster::session::reason::node_lost);
}

TEST_CASE("what bears on a time is what begins in it, and the last one before") {
    const auto first = of_alpha(1, noon, noon + 6h, period_end::full);
    const auto second = of_alpha(1, noon + 6h, noon + 8h, period_end::open);
    const auto third = of_alpha(2, noon + 9h, noon + 10h, period_end::open);

    CHECK(periods_since({first, second, third}, noon + 8h + 30min) == std::vector{second, third});
    // Also when it begins just there: why it did is in the one before.
    CHECK(periods_since({first, second, third}, noon + 9h) == std::vector{second, third});
    CHECK(periods_since({first, second, third}, noon + 9h + 1s) == std::vector{third});
}
