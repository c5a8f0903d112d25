#include "core/placement/slot_table.h"

#include <doctest/doctest.h>

#include <rapidcheck.h>
#include <string>
#include <vector>

namespace muster::placement {
namespace {

slot_table spread_over(std::size_t nodes) {
    std::vector<move> moves;
    for (std::size_t number = 0; number < slot::count; ++number) {
        const auto owner = static_cast<std::int64_t>(1 + number % nodes);
        moves.push_back({.what = slot(number), .from = {}, .to = node_number(owner)});
    }
    return slot_table().after(moves).value();
}

TEST_CASE("moves take a new epoch that only the moved slots carry") {
    const slot_table before = spread_over(3);

    const slot_table after =
        before.after({{.what = slot(7), .from = node_number(2), .to = node_number(3)}}).value();

    CHECK(after.current() == before.current().next());
    CHECK(after.at(slot(7)) == ownership{.owner = node_number(3), .since = after.current()});
    CHECK(after.at(slot(8)) == before.at(slot(8)));
}

TEST_CASE("a plan made for another table is refused as a whole") {
    const slot_table table = spread_over(3);

    const auto refused = table.after(
        {{.what = slot(0), .from = node_number(1), .to = node_number(2)},
         {.what = slot(1), .from = node_number(9), .to = node_number(2)}});

    CHECK(refused.error().code() == errc::conflict);
}

TEST_CASE("every table reads back from its bytes") {
    CHECK(rc::check([](const std::vector<std::uint16_t>& picked) {
        slot_table table = spread_over(5);
        for (const std::uint16_t number : picked) {
            const slot which(number % slot::count);
            const move away{
                .what = which, .from = table.at(which).owner, .to = node_number(number)};
            table = table.after({away}).value();
        }
        RC_ASSERT(slot_table::decode(table.encode()).value() == table);
    }));
}

TEST_CASE("bytes that are not a table are refused, wherever they are cut or changed") {
    const std::string good = spread_over(300).encode();

    CHECK_FALSE(slot_table::decode("").has_value());
    CHECK_FALSE(slot_table::decode(good + "x").has_value());
    for (std::size_t size = 0; size < good.size(); size += 97)
        CHECK_FALSE(slot_table::decode(good.substr(0, size)).has_value());
}

TEST_CASE("a zone of a thousand nodes with a long history fits well into one transaction") {
    slot_table table = spread_over(1000);
    for (std::size_t step = 0; step < 1000; ++step) {
        const slot which(step * 16);
        table = table
                    .after(
                        {{.what = which,
                          .from = table.at(which).owner,
                          .to = node_number(static_cast<std::int64_t>(1 + step))}})
                    .value();
    }

    CHECK(table.encode().size() < 48U * 1024);
}

}  // namespace
}  // namespace muster::placement
