#include "core/presence/presence_recorder.h"

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

presence_recorder fresh() {
    return {{.node = node_number(3), .start = 7, .turn_max = 12h}, noon};
}

void come(presence_recorder& into, system_number system_number, int when) {
    const arrival arrival{.system = system_number, .address = {}, .since = at(when)};
    into.note(std::span(&arrival, 1), {});
}

void go(presence_recorder& into, system_number system_number, reason why, int when) {
    const departure departure{.system = system_number, .why = why, .at = at(when)};
    into.note({}, std::span(&departure, 1));
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

    const auto response = node.end_turn(noon + 15s);

    REQUIRE(response.changes.size() == 1);
    CHECK(response.changes.front().systems.size() == 20'000);
    CHECK(moment_of(response.changes.front(), system_number(4)) == noon + 4s);
    CHECK(moment_of(response.changes.front(), system_number(19'999)) == noon + 4s);
    CHECK(response.present == system_set());
    CHECK(response.now.until == noon + 15s);
}

TEST_CASE("those who left for different reasons are different sets") {
    auto node = fresh();
    come(node, web1, 1);
    come(node, web2, 1);
    static_cast<void>(node.end_turn(noon + 15s));
    go(node, web1, reason::silent, 16);
    go(node, web2, reason::closed, 17);

    const auto response = node.end_turn(noon + 30s);

    REQUIRE(response.changes.size() == 2);
    CHECK_FALSE(response.present.has_value());
    for (const auto& change : response.changes) {
        CHECK(change.what == turn::left);
        CHECK(
            change.systems == (change.why == reason::closed ? system_set{web2} : system_set{web1}));
    }
}

TEST_CASE("a system that comes and goes within a turn is told each time, in order") {
    auto node = fresh();
    come(node, web1, 1);
    go(node, web1, reason::broken, 2);
    come(node, web1, 2);

    const auto response = node.end_turn(noon + 15s);

    REQUIRE(response.changes.size() == 3);
    const std::vector vector{turn::came, turn::left, turn::came};
    for (const auto& change : response.changes)
        CHECK(change.what == vector[static_cast<std::size_t>(change.step)]);
}

TEST_CASE("one that never stops coming and going is told a few times, and as it is now") {
    auto node = fresh();
    for (int second = 0; second < 100; ++second) {
        come(node, web1, second);
        go(node, web1, reason::broken, second);
    }

    const auto response = node.end_turn(noon + 100s);

    CHECK(response.changes.size() == presence_recorder::changes_of_one_max);
    CHECK(response.changes.back().what == turn::left);
    CHECK(response.changes.back().step == 7);
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

    const auto response = node.end_turn(noon + 45s);

    CHECK(response.now.opened == noon + 30s);
    CHECK(response.present == system_set{web2});
    REQUIRE(response.changes.size() == 1);
    CHECK(response.changes.front().systems == system_set{web1});
}

TEST_CASE("a node's last word ends its chapter") {
    auto node = fresh();
    come(node, web1, 1);
    static_cast<void>(node.end_turn(noon + 15s));
    go(node, web1, reason::stopping, 20);

    const auto response = node.stop(noon + 21s);

    CHECK(response.now.how == ending::stopped);
    CHECK(response.now.until == noon + 21s);
    CHECK(response.changed == system_set{web1});
}

TEST_CASE("a turn that took too long covers nothing: the machine slept") {
    presence_recorder node({.node = node_number(3), .start = 7}, noon);
    come(node, web1, 1);
    static_cast<void>(node.end_turn(noon + 15s));
    go(node, web1, reason::silent, 3'599);

    const auto response = node.end_turn(noon + 1h);

    CHECK(response.now.opened == noon + 1h);
    CHECK(response.now.until == noon + 1h);
    CHECK(response.present == system_set());
    CHECK(response.changes.empty());
}

TEST_CASE("a clock that is set back does not make turns overlap") {
    auto node = fresh();
    static_cast<void>(node.end_turn(noon + 15s));

    const auto response = node.end_turn(noon - 1h);

    CHECK(response.now.until > noon + 15s);
    CHECK(response.now.until < noon + 16s);
}
