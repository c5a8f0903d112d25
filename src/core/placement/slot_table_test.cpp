#include "core/placement/slot_table.h"

#include "base/prng.h"
#include "core/placement/packed.h"

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
        moves.push_back({.moved_slot = slot(number), .from = {}, .to = node_number(owner)});
    }
    return slot_table().apply_moves(moves).value();
}

TEST_CASE("moves take a new epoch that only the moved slots carry") {
    const slot_table before = spread_over(3);

    const slot_table after =
        before.apply_moves({{.moved_slot = slot(7), .from = node_number(2), .to = node_number(3)}})
            .value();

    CHECK(after.current_epoch() == before.current_epoch().next());
    CHECK(after.at(slot(7)) == ownership{.owner = node_number(3), .since = after.current_epoch()});
    CHECK(after.at(slot(8)) == before.at(slot(8)));
}

TEST_CASE("a plan made for another table is refused as a whole") {
    const slot_table table = spread_over(3);

    const auto refused = table.apply_moves(
        {{.moved_slot = slot(0), .from = node_number(1), .to = node_number(2)},
         {.moved_slot = slot(1), .from = node_number(9), .to = node_number(2)}});

    CHECK(refused.error().code() == errc::conflict);
}

TEST_CASE("every table reads back from its bytes") {
    CHECK(rc::check([](const std::vector<std::uint16_t>& picked) {
        slot_table table = spread_over(5);
        for (const std::uint16_t number : picked) {
            const slot current(number % slot::count);
            const move away{
                .moved_slot = current, .from = table.at(current).owner, .to = node_number(number)};
            table = table.apply_moves({away}).value();
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
        const slot slot(step * 16);
        table = table
                    .apply_moves(
                        {{.moved_slot = slot,
                          .from = table.at(slot).owner,
                          .to = node_number(static_cast<std::int64_t>(1 + step))}})
                    .value();
    }

    CHECK(table.encode().size() < 48U * 1024);
}

// Every slot moved last by a plan of its own, in no order, within so many plans.
slot_table much_moved(std::size_t nodes, std::uint64_t plans) {
    prng random(4711);
    std::vector<std::int64_t> owners;
    std::vector<std::int64_t> epochs;
    for (std::size_t number = 0; number < slot::count; ++number) {
        owners.push_back(static_cast<std::int64_t>(1 + random.below(nodes)));
        epochs.push_back(static_cast<std::int64_t>(1 + random.below(plans)));
    }
    std::string bytes(1, '\1');
    write_varint(bytes, plans);
    pack(bytes, owners);
    pack(bytes, epochs);
    return slot_table::decode(bytes).value();
}

TEST_CASE("a table of a thousand nodes whose every slot was moved by a plan of its own is small") {
    for (const std::uint64_t plans : {1'000U, 20'000U, 130'000U, 1'000'000U}) {
        CAPTURE(plans);
        const auto table = much_moved(1'000, plans);

        const auto bytes = table.encode();

        CHECK(bytes.size() < 62U * 1024);
        CHECK(slot_table::decode(bytes).value() == table);
        CHECK_FALSE(slot_table::decode(bytes.substr(0, bytes.size() - 1)).has_value());
        CHECK_FALSE(slot_table::decode(bytes + "x").has_value());
    }
}

TEST_CASE("a span that is wider than it need be is refused") {
    std::string good;
    pack_span(good, {7, 9, 8});
    std::string_view rest = good;
    CHECK(unpack_span(rest, 3).value() == std::vector<std::int64_t>{7, 9, 8});
    CHECK(rest.empty());

    auto wider = good;
    wider[1] = 3;
    rest = wider;
    CHECK_FALSE(unpack_span(rest, 3).has_value());
    std::string raised;
    write_varint(raised, 6);
    write_varint(raised, 2);
    raised += static_cast<char>(0b00'10'11'01);  // 7, 9, 8 from 6: no value equals the minimum
    rest = raised;
    CHECK_FALSE(unpack_span(rest, 3).has_value());
}

}  // namespace
}  // namespace muster::placement
