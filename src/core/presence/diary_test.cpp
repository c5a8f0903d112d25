#include "core/presence/diary.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::presence;
using namespace muster::presence::history;
using namespace std::chrono_literals;
using fleet::system_set;
using session::reason;

namespace {

const wall_time noon(1'800'014'400s);  // where a chapter begins
const system_number web1(1);
const system_number web2(2);

seconds at(int after_noon) {
    return seconds_of(noon + std::chrono::seconds(after_noon));
}

diary fresh() {
    return {{.node = node_number(3), .start = 7, .turn_max = 12h}, noon};
}

void come(diary& into, system_number who, int when) {
    const arrival each{.system = who, .address = {}, .since = at(when)};
    into.note(std::span(&each, 1), {});
}

void go(diary& into, system_number who, reason why, int when) {
    const departure each{.system = who, .why = why, .at = at(when)};
    into.note({}, std::span(&each, 1));
}

}  // namespace

TEST_CASE("however many come in a turn, it is one set, and each keeps its own second") {
    auto node = fresh();
    std::vector<arrival> all;
    for (std::int64_t number = 1; number <= 20'000; ++number)
        all.push_back(
            {.system = system_number(number),
             .address = {},
             .since = at(static_cast<int>(number % 15))});
    node.note(all, {});

    const auto told = node.end_turn(noon + 15s);

    REQUIRE(told.changes.size() == 1);
    CHECK(told.changes.front().systems.size() == 20'000);
    CHECK(moment_of(told.changes.front(), system_number(4)) == noon + 4s);
    CHECK(moment_of(told.changes.front(), system_number(19'999)) == noon + 4s);
    CHECK(told.present == system_set());
    CHECK(told.now.until == noon + 15s);
}

TEST_CASE("those who left for different reasons are different sets") {
    auto node = fresh();
    come(node, web1, 1);
    come(node, web2, 1);
    static_cast<void>(node.end_turn(noon + 15s));
    go(node, web1, reason::silent, 16);
    go(node, web2, reason::closed, 17);

    const auto told = node.end_turn(noon + 30s);

    REQUIRE(told.changes.size() == 2);
    CHECK_FALSE(told.present.has_value());
    for (const auto& each : told.changes) {
        CHECK(each.what == turn::left);
        CHECK(each.systems == (each.why == reason::closed ? system_set{web2} : system_set{web1}));
    }
}

TEST_CASE("a system that comes and goes within a turn is told each time, in order") {
    auto node = fresh();
    come(node, web1, 1);
    go(node, web1, reason::broken, 2);
    come(node, web1, 2);

    const auto told = node.end_turn(noon + 15s);

    REQUIRE(told.changes.size() == 3);
    const std::vector wanted{turn::came, turn::left, turn::came};
    for (const auto& each : told.changes)
        CHECK(each.what == wanted[static_cast<std::size_t>(each.step)]);
}

TEST_CASE("one that never stops coming and going is told a few times, and as it is now") {
    auto node = fresh();
    for (int second = 0; second < 100; ++second) {
        come(node, web1, second);
        go(node, web1, reason::broken, second);
    }

    const auto told = node.end_turn(noon + 100s);

    CHECK(told.changes.size() == diary::changes_of_one_max);
    CHECK(told.changes.back().what == turn::left);
    CHECK(told.changes.back().step == 7);
}

TEST_CASE("a full chapter ends with who changed in it, and the next begins with who is there") {
    auto node = fresh();
    come(node, web1, 1);
    come(node, web2, 1);
    go(node, web2, reason::closed, 3);
    static_cast<void>(node.end_turn(noon + 15s));

    const auto last = node.end_turn(noon + 6h + 2s);

    CHECK(last.now.how == ending::full);
    CHECK(last.changed == system_set{web1, web2});
    const auto next = node.end_turn(noon + 6h + 17s);
    CHECK(next.now.opened == last.now.until);
    CHECK(next.present == system_set{web1});
    CHECK_FALSE(next.changed.has_value());
}

TEST_CASE("what is skipped is forgotten, and the record begins anew with who is there") {
    auto node = fresh();
    come(node, web1, 1);
    static_cast<void>(node.end_turn(noon + 15s));
    go(node, web1, reason::closed, 20);
    come(node, web2, 21);
    node.skip(noon + 30s);
    come(node, web1, 31);

    const auto told = node.end_turn(noon + 45s);

    CHECK(told.now.opened == noon + 30s);
    CHECK(told.present == system_set{web2});
    REQUIRE(told.changes.size() == 1);
    CHECK(told.changes.front().systems == system_set{web1});
}

TEST_CASE("a node's last word ends its chapter") {
    auto node = fresh();
    come(node, web1, 1);
    static_cast<void>(node.end_turn(noon + 15s));
    go(node, web1, reason::stopping, 20);

    const auto told = node.stop(noon + 21s);

    CHECK(told.now.how == ending::stopped);
    CHECK(told.now.until == noon + 21s);
    CHECK(told.changed == system_set{web1});
}

TEST_CASE("a turn that took too long covers nothing: the machine slept") {
    diary node({.node = node_number(3), .start = 7}, noon);
    come(node, web1, 1);
    static_cast<void>(node.end_turn(noon + 15s));
    go(node, web1, reason::silent, 3'599);

    const auto told = node.end_turn(noon + 1h);

    CHECK(told.now.opened == noon + 1h);
    CHECK(told.now.until == noon + 1h);
    CHECK(told.present == system_set());
    CHECK(told.changes.empty());
}

TEST_CASE("a clock that is set back does not make turns overlap") {
    auto node = fresh();
    static_cast<void>(node.end_turn(noon + 15s));

    const auto told = node.end_turn(noon - 1h);

    CHECK(told.now.until > noon + 15s);
    CHECK(told.now.until < noon + 16s);
}
