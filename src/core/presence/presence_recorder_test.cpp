#include "core/presence/presence_recorder.h"

#include <doctest/doctest.h>

using namespace muster;
using namespace muster::presence;
using namespace muster::presence::history;
using namespace std::chrono_literals;
using fleet::system_set;
using session::reason;

namespace {

const wall_time noon(1'800'014'400s);  // start of a report period
const system_number web1(1);
const system_number web2(2);

seconds at(int after_noon) {
    return to_seconds(noon + std::chrono::seconds(after_noon));
}

presence_recorder fresh() {
    return {{.node = node_number(3), .start = 7, .interval_max = 12h}, noon};
}

void attach(presence_recorder& recorder, system_number system, int second) {
    const attach_event event{.system = system, .address = {}, .since = at(second)};
    recorder.record(std::span(&event, 1), {});
}

void detach(presence_recorder& recorder, system_number system, reason why, int second) {
    const detach_event event{.system = system, .why = why, .at = at(second)};
    recorder.record({}, std::span(&event, 1));
}

}  // namespace

TEST_CASE("however many come in a turn, it is one set, and each keeps its own second") {
    auto node = fresh();
    std::vector<attach_event> events;
    for (std::int64_t number = 1; number <= 20'000; ++number)
        events.push_back(
            {.system = system_number(number),
             .address = {},
             .since = at(static_cast<int>(number % 15))});
    node.record(events, {});

    const auto response = node.end_interval(noon + 15s);

    REQUIRE(response.changes.size() == 1);
    CHECK(response.changes.front().systems.size() == 20'000);
    CHECK(time_of(response.changes.front(), system_number(4)) == noon + 4s);
    CHECK(time_of(response.changes.front(), system_number(19'999)) == noon + 4s);
    CHECK(response.present == system_set());
    CHECK(response.period.until == noon + 15s);
}

TEST_CASE("those who left for different reasons are different sets") {
    auto node = fresh();
    attach(node, web1, 1);
    attach(node, web2, 1);
    static_cast<void>(node.end_interval(noon + 15s));
    detach(node, web1, reason::silent, 16);
    detach(node, web2, reason::closed, 17);

    const auto response = node.end_interval(noon + 30s);

    REQUIRE(response.changes.size() == 2);
    CHECK_FALSE(response.present.has_value());
    for (const auto& change : response.changes) {
        CHECK(change.kind == change_kind::detached);
        CHECK(
            change.systems == (change.why == reason::closed ? system_set{web2} : system_set{web1}));
    }
}

TEST_CASE("a system that comes and goes within a turn is told each time, in order") {
    auto node = fresh();
    attach(node, web1, 1);
    detach(node, web1, reason::broken, 2);
    attach(node, web1, 2);

    const auto response = node.end_interval(noon + 15s);

    REQUIRE(response.changes.size() == 3);
    const std::vector vector{change_kind::attached, change_kind::detached, change_kind::attached};
    for (const auto& change : response.changes)
        CHECK(change.kind == vector[static_cast<std::size_t>(change.step)]);
}

TEST_CASE("one that never stops coming and going is told a few times, and as it is now") {
    auto node = fresh();
    for (int second = 0; second < 100; ++second) {
        attach(node, web1, second);
        detach(node, web1, reason::broken, second);
    }

    const auto response = node.end_interval(noon + 100s);

    CHECK(response.changes.size() == presence_recorder::changes_of_one_max);
    CHECK(response.changes.back().kind == change_kind::detached);
    CHECK(response.changes.back().step == 7);
}

TEST_CASE("a full chapter ends with who changed in it, and the next begins with who is there") {
    auto node = fresh();
    attach(node, web1, 1);
    attach(node, web2, 1);
    detach(node, web2, reason::closed, 3);
    static_cast<void>(node.end_interval(noon + 15s));

    const auto last = node.end_interval(noon + 6h + 2s);

    CHECK(last.period.end == period_end::full);
    CHECK(last.changed == system_set{web1, web2});
    const auto next = node.end_interval(noon + 6h + 17s);
    CHECK(next.period.opened == last.period.until);
    CHECK(next.present == system_set{web1});
    CHECK_FALSE(next.changed.has_value());
}

TEST_CASE("what is skipped is forgotten, and the record begins anew with who is there") {
    auto node = fresh();
    attach(node, web1, 1);
    static_cast<void>(node.end_interval(noon + 15s));
    detach(node, web1, reason::closed, 20);
    attach(node, web2, 21);
    node.skip(noon + 30s);
    attach(node, web1, 31);

    const auto response = node.end_interval(noon + 45s);

    CHECK(response.period.opened == noon + 30s);
    CHECK(response.present == system_set{web2});
    REQUIRE(response.changes.size() == 1);
    CHECK(response.changes.front().systems == system_set{web1});
}

TEST_CASE("a node's last word ends its chapter") {
    auto node = fresh();
    attach(node, web1, 1);
    static_cast<void>(node.end_interval(noon + 15s));
    detach(node, web1, reason::stopping, 20);

    const auto response = node.stop(noon + 21s);

    CHECK(response.period.end == period_end::stopped);
    CHECK(response.period.until == noon + 21s);
    CHECK(response.changed == system_set{web1});
}

TEST_CASE("a turn that took too long covers nothing: the machine slept") {
    presence_recorder node({.node = node_number(3), .start = 7}, noon);
    attach(node, web1, 1);
    static_cast<void>(node.end_interval(noon + 15s));
    detach(node, web1, reason::silent, 3'599);

    const auto response = node.end_interval(noon + 1h);

    CHECK(response.period.opened == noon + 1h);
    CHECK(response.period.until == noon + 1h);
    CHECK(response.present == system_set());
    CHECK(response.changes.empty());
}

TEST_CASE("a clock that is set back does not make turns overlap") {
    auto node = fresh();
    static_cast<void>(node.end_interval(noon + 15s));

    const auto response = node.end_interval(noon - 1h);

    CHECK(response.period.until > noon + 15s);
    CHECK(response.period.until < noon + 16s);
}
