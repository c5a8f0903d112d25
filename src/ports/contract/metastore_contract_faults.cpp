#include "ports/contract/metastore_cases.h"
#include "ports/contract/metastore_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "ports/deadline.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Promises about an engine that dies, changes its leader or cannot be reached, while clients write.
namespace muster::contract {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr int writers = 4;
constexpr auto refused_within_max = 15s;

// What the writers were told of each key. Every key is written once, so what a client was told can
// be compared with what is there.
struct record {
    std::set<std::string> acknowledged;
    std::set<std::string> refused;  // unavailable: must not be there
    std::set<std::string> unknown;  // timed out: may be there
    bool over = false;
};

awaitable<void> write_through(
    metastore_fixture& fixture, std::string prefix, int name, record& record) {
    metastore_test_client client(fixture, std::move(prefix));
    for (int i = 0; !record.over; ++i) {
        const auto key = client.key("w/" + std::to_string(name) + "/" + std::to_string(i));
        kv::transaction change{.when = {kv::absent{key}}, .then = {kv::put{key, "v"}}};
        const auto answer = co_await within(
            client.clock(), answer_time_max, client.store().commit(std::move(change)));
        if (answer) {
            REQUIRE(answer->committed);
            record.acknowledged.insert(key);
            co_await client.sleep(2ms);
        } else if (answer.error().code() == errc::unavailable) {
            record.refused.insert(key);
            co_await client.sleep(20ms);
        } else {
            REQUIRE_MESSAGE(answer.error().code() == errc::timed_out, to_string(answer.error()));
            record.unknown.insert(key);
        }
    }
}

awaitable<void> until_acknowledged(metastore_test_client& scene, record& record, std::size_t more) {
    const auto enough = record.acknowledged.size() + more;
    const auto timeout_end = scene.clock().now() + 40s;
    while (record.acknowledged.size() < enough) {
        REQUIRE_MESSAGE(scene.clock().now() < timeout_end, "writers do not get on");
        co_await scene.sleep(10ms);
    }
}

using fault = awaitable<void> (*)(metastore_fixture&, metastore_test_client&);

awaitable<void> make_fault(
    metastore_fixture& fixture, metastore_test_client& scene, fault happens, record& record) {
    co_await until_acknowledged(scene, record, 50);
    co_await happens(fixture, scene);
    co_await until_acknowledged(scene, record, 50);
    record.over = true;
}

awaitable<void> write_in_trouble(
    metastore_fixture& fixture, metastore_test_client& scene, fault happens, record& record) {
    std::vector<awaitable<void>> all;
    for (int i = 0; i < writers; ++i) {
        all.push_back(write_through(fixture, scene.prefix(), i, record));
    }
    all.push_back(make_fault(fixture, scene, happens, record));
    co_await run_concurrently(std::move(all));
    co_await scene.put(scene.key("w/last"), "v");
    record.acknowledged.insert(scene.key("w/last"));
}

awaitable<void> follow(
    metastore_test_client& scene, kv::revision from, std::vector<kv::change>& observed) {
    const auto watch = scene.watch(scene.key("w/"), from);
    while (observed.empty() || kv::key_of(observed.back()) != scene.key("w/last")) {
        const auto event = co_await watch->next();
        if (!event) {
            REQUIRE_MESSAGE(event.error().code() == errc::unavailable, to_string(event.error()));
            co_await scene.sleep(20ms);
            continue;
        }
        REQUIRE(std::holds_alternative<kv::change_batch>(*event));
        const auto& changes = std::get<kv::change_batch>(*event).changes;
        observed.insert(observed.end(), changes.begin(), changes.end());
    }
}

// What was promised of writes, watches and leases, whatever happened meanwhile.
awaitable<void> live_through(metastore_fixture& fixture, fault happens) {
    metastore_test_client scene(fixture);
    const auto lease = co_await scene.grant(120s);
    const auto at = co_await scene.put(scene.key("leased"), "v", lease);
    record record;
    std::vector<kv::change> changes;

    std::vector<awaitable<void>> all;
    all.push_back(write_in_trouble(fixture, scene, happens, record));
    all.push_back(follow(scene, at.next(), changes));
    co_await run_concurrently(std::move(all));

    const auto there = co_await scene.list(scene.key("w/"));
    for (const auto& key : record.acknowledged) REQUIRE_MESSAGE(there.entries.contains(key), key);
    for (const auto& key : record.refused) REQUIRE_MESSAGE(!there.entries.contains(key), key);
    CHECK(changes.size() == there.entries.size());
    CHECK(well_ordered(changes));
    for (const auto& result : changes) {
        REQUIRE(std::holds_alternative<kv::written>(result));
        CHECK(there.entries.at(kv::key_of(result)) == std::get<kv::written>(result).entry);
    }
    const auto leased = co_await scene.get(scene.key("leased"));
    CHECK(leased.has_value());
    const auto stored = co_await scene.store().keep_alive(lease);
    CHECK(stored.has_value());
}

awaitable<void> engine_dies(metastore_fixture& fixture, metastore_test_client& scene) {
    co_await fixture.kill_engine();
    co_await scene.sleep(300ms);
    co_await fixture.restart_engine();
}

awaitable<void> link_is_cut(metastore_fixture& fixture, metastore_test_client& scene) {
    co_await fixture.cut_link();
    co_await scene.sleep(1500ms);
    co_await fixture.heal_link();
}

awaitable<void> leader_changes(metastore_fixture& fixture, metastore_test_client& /*scene*/) {
    co_await fixture.change_leader();
}

awaitable<void> an_engine_may_die(metastore_fixture& fixture) {
    co_await live_through(fixture, engine_dies);
}

awaitable<void> a_link_may_break(metastore_fixture& fixture) {
    co_await live_through(fixture, link_is_cut);
}

awaitable<void> a_leader_may_change(metastore_fixture& fixture) {
    co_await live_through(fixture, leader_changes);
}

// For the time of its life no request may hang, and each must say what is known of it.
template <class T>
awaitable<void> expect_refusal(metastore_test_client& scene, async<T> request) {
    const auto asked = scene.clock().now();
    const auto answer = co_await within(scene.clock(), 2 * refused_within_max, std::move(request));
    CHECK(scene.clock().now() - asked < refused_within_max);
    REQUIRE_FALSE(answer.has_value());
    const auto code = answer.error().code();
    CHECK_MESSAGE(
        (code == errc::unavailable || code == errc::timed_out), to_string(answer.error()));
}

awaitable<void> a_cut_link_is_told_in_time(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto lease = co_await scene.grant(120s);
    co_await scene.put(scene.key("a"), "1");
    kv::transaction change{.then = {kv::put{scene.key("b"), "1"}}};

    co_await fixture.cut_link();
    std::vector<awaitable<void>> all;
    all.push_back(expect_refusal(scene, scene.store().get(scene.key("a"))));
    all.push_back(expect_refusal(scene, scene.store().range({.prefix = scene.prefix()})));
    all.push_back(expect_refusal(scene, scene.store().commit(std::move(change))));
    all.push_back(expect_refusal(scene, scene.store().grant(60s)));
    all.push_back(expect_refusal(scene, scene.store().keep_alive(lease)));
    co_await run_concurrently(std::move(all));
    co_await fixture.heal_link();

    const auto match = co_await scene.get(scene.key("a"));
    CHECK(match.has_value());
}

constexpr metastore_case cases[] = {
    {"what was acknowledged survives the death of the engine, and watches go on without a gap",
     metastore_fault::engine_loss,
     an_engine_may_die},
    {"an engine that cannot be reached is told in time, and clients recover alone",
     metastore_fault::link_loss,
     a_cut_link_is_told_in_time},
    {"what was acknowledged survives a broken link, and watches go on without a gap",
     metastore_fault::link_loss,
     a_link_may_break},
    {"what was acknowledged survives a change of leader, and watches go on without a gap",
     metastore_fault::leader_change,
     a_leader_may_change},
};

}  // namespace

std::span<const metastore_case> metastore_fault_cases() {
    return cases;
}

}  // namespace muster::contract
