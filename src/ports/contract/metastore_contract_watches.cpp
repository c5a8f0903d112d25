#include "base/prng.h"
#include "ports/contract/metastore_cases.h"
#include "ports/contract/metastore_test_client.h"
#include "ports/contract/run_concurrently.h"
#include "ports/deadline.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

// Promises about watches while all is well.
namespace muster::contract {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

awaitable<void> the_past_then_the_present(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto first = co_await scene.put(scene.key("a"), "1");
    co_await scene.put(scene.key("a"), "2");
    co_await scene.erase(scene.key("a"));

    const auto watch = scene.watch(first.next());
    std::vector<kv::change> changes;
    while (changes.size() < 2) {
        auto some = co_await scene.next_changes(*watch);
        changes.insert(changes.end(), some.begin(), some.end());
    }
    const auto last = co_await scene.put(scene.key("b"), "3");
    const auto live = co_await scene.next_changes(*watch);

    REQUIRE(changes.size() == 2);
    CHECK(std::get<kv::written>(changes[0]).entry.value == "2");
    CHECK(std::get<kv::erased>(changes[1]).key == scene.key("a"));
    const kv::entry expected{scene.key("b"), "3", last, last, {}};
    REQUIRE(live.size() == 1);
    CHECK(std::get<kv::written>(live[0]).entry == expected);
}

awaitable<void> only_its_own_prefix(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto at = co_await scene.put(scene.key("start"), "v");
    const auto watch = scene.watch(scene.key("p/"), at.next());

    for (const char* other : {"p", "p0", "o/1", "q"}) co_await scene.put(scene.key(other), "v");
    co_await scene.expect_silence(*watch);
    kv::transaction both{.then = {kv::put{scene.key("p/1"), "v"}, kv::put{scene.key("q"), "w"}}};
    co_await scene.commit(std::move(both));
    const auto changes = co_await scene.next_changes(*watch);

    REQUIRE(changes.size() == 1);
    CHECK(kv::key_of(changes[0]) == scene.key("p/1"));
}

constexpr int wide_keys = 20;

awaitable<void> write_wide(metastore_fixture& fixture, std::string prefix, int times) {
    metastore_test_client client(fixture, std::move(prefix));
    for (int i = 0; i < times; ++i) {
        kv::transaction wide;
        for (int k = 0; k < wide_keys; ++k) {
            wide.then.emplace_back(
                kv::put{client.key("wide/" + std::to_string(k)), std::to_string(i)});
        }
        co_await client.commit(std::move(wide));
    }
}

awaitable<void> follow_wide(metastore_test_client& scene, kv::revision from, int revisions) {
    const auto watch = scene.watch(scene.key("wide/"), from);
    std::vector<kv::change> all;
    while (revisions > 0) {
        const auto changes = co_await scene.next_changes(*watch);
        std::map<kv::revision, int> sizes;
        for (const auto& change : changes) ++sizes[kv::revision_of(change)];
        for (const auto& [at, size] : sizes) REQUIRE(size == wide_keys);
        revisions -= static_cast<int>(sizes.size());
        all.insert(all.end(), changes.begin(), changes.end());
    }
    CHECK(well_ordered(all));
}

awaitable<void> revisions_are_never_split(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto at = co_await scene.put(scene.key("start"), "v");

    std::vector<awaitable<void>> all;
    for (int i = 0; i < 3; ++i) all.push_back(write_wide(fixture, scene.prefix(), 15));
    all.push_back(follow_wide(scene, at.next(), 3 * 15));
    co_await run_concurrently(std::move(all));
    co_await follow_wide(scene, at.next(), 3 * 15);
}

awaitable<void> write_numbered(metastore_fixture& fixture, std::string prefix, int name) {
    metastore_test_client client(fixture, std::move(prefix));
    for (int i = 0; i < 25; ++i) {
        const auto text = std::to_string(name) + "/" + std::to_string(i);
        co_await client.put(client.key("n/" + text), text);
    }
}

awaitable<void> expect_each_once(
    metastore_fixture& fixture, std::string prefix, kv::revision from, std::size_t count) {
    metastore_test_client client(fixture, std::move(prefix));
    const auto watch = client.watch(client.key("n/"), from);
    std::vector<kv::change> observed;
    std::map<std::string, int> times;
    while (observed.size() < count) {
        const auto changes = co_await client.next_changes(*watch);
        for (const auto& change : changes) ++times[kv::key_of(change)];
        observed.insert(observed.end(), changes.begin(), changes.end());
    }
    CHECK(observed.size() == count);
    CHECK(times.size() == count);
    CHECK(well_ordered(observed));
}

awaitable<void> no_gap_and_no_repeat(metastore_fixture& fixture) {
    constexpr int writers = 4;
    metastore_test_client scene(fixture);
    const auto at = co_await scene.put(scene.key("start"), "v");

    std::vector<awaitable<void>> all;
    for (int i = 0; i < writers; ++i) all.push_back(write_numbered(fixture, scene.prefix(), i));
    all.push_back(expect_each_once(fixture, scene.prefix(), at.next(), writers * 25));
    all.push_back(expect_each_once(fixture, scene.prefix(), at.next(), writers * 25));
    co_await run_concurrently(std::move(all));
    co_await expect_each_once(fixture, scene.prefix(), at.next(), writers * 25);
}

// Asks with so little patience that most waits are given up, many just as something arrives.
awaitable<void> ask_impatiently(
    metastore_test_client& scene, kv::revision from, std::size_t count) {
    const auto watch = scene.watch(scene.key("n/"), from);
    std::vector<kv::change> observed;
    prng random(7);
    while (observed.size() < count) {
        const auto timeout = std::chrono::microseconds(random.below(3000));
        const auto event = co_await within(scene.clock(), timeout, watch->next());
        if (!event) continue;
        const auto& changes = std::get<kv::change_batch>(*event).changes;
        observed.insert(observed.end(), changes.begin(), changes.end());
    }
    CHECK(observed.size() == count);
    CHECK(well_ordered(observed));
}

awaitable<void> giving_up_loses_nothing(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto at = co_await scene.put(scene.key("start"), "v");

    std::vector<awaitable<void>> all;
    for (int i = 0; i < 3; ++i) all.push_back(write_numbered(fixture, scene.prefix(), i));
    all.push_back(ask_impatiently(scene, at.next(), 75));
    co_await run_concurrently(std::move(all));
}

awaitable<void> write_at_random(
    metastore_fixture& fixture, std::string prefix, std::uint64_t seed) {
    metastore_test_client client(fixture, std::move(prefix));
    prng random(seed);
    for (int i = 0; i < 30; ++i) {
        const auto key = client.key("r/" + std::to_string(random.below(8)));
        if (random.chance(300)) {
            co_await client.erase(key);
        } else {
            co_await client.put(key, std::to_string(random.next()));
        }
    }
}

awaitable<void> list_and_follow(
    metastore_test_client& scene, std::map<std::string, kv::entry>& map, std::string last_key) {
    auto listed = co_await scene.list(scene.prefix());
    map = std::move(listed.entries);
    if (map.contains(last_key)) co_return;
    const auto watch = scene.watch(listed.at.next());
    const auto changes = co_await scene.changes_until(*watch, last_key);
    for (const auto& change : changes) {
        map.erase(kv::key_of(change));
        if (const auto* now = std::get_if<kv::written>(&change)) map[now->entry.key] = now->entry;
    }
}

awaitable<void> write_then_mark_the_end(
    metastore_fixture& fixture, metastore_test_client& scene, std::string last_key) {
    std::vector<awaitable<void>> writers;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        writers.push_back(write_at_random(fixture, scene.prefix(), seed));
    }
    co_await run_concurrently(std::move(writers));
    co_await scene.put(std::move(last_key), "done");
}

awaitable<void> list_and_watch_converge(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto last_key = scene.key("z");
    std::map<std::string, kv::entry> follower;
    co_await write_at_random(fixture, scene.prefix(), 99);

    std::vector<awaitable<void>> all;
    all.push_back(write_then_mark_the_end(fixture, scene, last_key));
    all.push_back(list_and_follow(scene, follower, last_key));
    co_await run_concurrently(std::move(all));

    const auto truth = co_await scene.list(scene.prefix());
    CHECK(follower == truth.entries);
}

awaitable<void> forgotten_history_says_so(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto first = co_await scene.put(scene.key("a"), "1");
    co_await scene.put(scene.key("a"), "2");
    const auto oldest = co_await scene.put(scene.key("a"), "3");
    co_await scene.put(scene.key("a"), "4");

    const auto compacted = co_await scene.store().compact(oldest);
    const auto again = co_await scene.store().compact(first);
    const auto too_far = co_await scene.store().compact(kv::revision(oldest.value() + 1'000'000));
    const auto too_old = scene.watch(first);
    const auto answer = co_await scene.next_event(*too_old);
    const auto watch = scene.watch(oldest);
    const auto changes = co_await scene.next_changes(*watch);

    CHECK(compacted.has_value());
    CHECK(again.has_value());
    REQUIRE_FALSE(too_far.has_value());
    CHECK(too_far.error().code() == errc::invalid);
    REQUIRE(std::holds_alternative<kv::compacted>(answer));
    CHECK(std::get<kv::compacted>(answer).oldest >= oldest);
    REQUIRE_FALSE(changes.empty());
    CHECK(std::get<kv::written>(changes[0]).entry.value == "3");
}

constexpr metastore_case cases[] = {
    {"a watch from a past revision tells what happened since and then goes on",
     metastore_fault::none,
     the_past_then_the_present},
    {"a watch tells of its own prefix and of nothing else",
     metastore_fault::none,
     only_its_own_prefix},
    {"a watch never splits a revision", metastore_fault::none, revisions_are_never_split},
    {"a watch has no gap and no repeat while writers race",
     metastore_fault::none,
     no_gap_and_no_repeat},
    {"a wait that its caller gives up loses no change",
     metastore_fault::none,
     giving_up_loses_nothing},
    {"a list and the watch after it lead to the truth",
     metastore_fault::none,
     list_and_watch_converge},
    {"a watch from a forgotten revision is told so and can start where history starts",
     metastore_fault::none,
     forgotten_history_says_so},
};

}  // namespace

std::span<const metastore_case> watch_cases() {
    return cases;
}

}  // namespace muster::contract
