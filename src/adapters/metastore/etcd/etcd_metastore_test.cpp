#include "adapters/metastore/etcd/etcd_metastore.h"

#include "ports/contract/run_concurrently.h"
#include "ports/deadline.h"
#include "tests/harness/etcd_cluster.h"
#include "tests/harness/faulty_tcp_proxy.h"
#include "tests/harness/real_event_loop.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

// What the contract does not ask: how the adapter treats etcd, and etcd's own security.
namespace muster {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

template <class T>
T must(result<T> outcome) {
    if (!outcome) throw std::runtime_error(to_string(outcome.error()));
    if constexpr (!std::is_void_v<T>) return *std::move(outcome);
}

std::unique_ptr<etcd_metastore> open(etcd_options options) {
    return must(etcd_metastore::open(std::move(options)));
}

std::string through(const harness::faulty_tcp_proxy& link) {
    return "127.0.0.1:" + std::to_string(link.port());
}

harness::etcd_cluster& plain_etcd() {
    static harness::etcd_cluster cluster;
    return cluster;
}

kv::transaction put(const std::string& key, const std::string& value, kv::lease_id lease = {}) {
    return {.when = {}, .then = {kv::put{.key = key, .value = value, .lease = lease}}};
}

kv::transaction create(const std::string& key) {
    return {.when = {kv::absent{key}}, .then = {kv::put{.key = key, .value = "new"}}};
}

// --- coalescing

awaitable<void> create_one(etcd_metastore& store, std::string key, std::set<std::string>& result) {
    const auto verdict = must(co_await store.commit(create(key)));
    if (verdict.committed) result.insert(key);
}

TEST_CASE("independent transactions that wait together go to etcd as few requests") {
    constexpr int callers = 200;
    const auto store = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "few/"});
    std::set<std::string> result;
    std::vector<awaitable<void>> all;
    for (int i = 0; i < callers; ++i)
        all.push_back(create_one(*store, "key" + std::to_string(i), result));

    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));

    CHECK(result.size() == callers);
    CHECK(store->counters().commits == callers);
    CHECK(store->counters().batches <= callers / 10);
}

TEST_CASE("of many who create one key at the same time exactly one does") {
    const auto store = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "one/"});
    std::vector<std::set<std::string>> result(20);
    std::vector<awaitable<void>> all;
    for (auto& own : result) all.push_back(create_one(*store, "contested", own));

    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));

    CHECK(std::ranges::count(result, std::set<std::string>{"contested"}) == 1);
}

TEST_CASE("a condition that fails refuses its own transaction, not those sent with it") {
    const auto store = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "mixed/"});
    std::set<std::string> result;
    harness::real_event_loop().run(create_one(*store, "key7", result));
    for (int again = 0; again < 3; ++again) {
        std::set<std::string> desired;
        std::vector<awaitable<void>> all;
        result.clear();
        for (int i = 0; i < 20; ++i) {
            const auto name = i == 7 ? "key7" : fmt::format("key{}-{}", i, again);
            if (i != 7) desired.insert(name);
            all.push_back(create_one(*store, name, result));
        }

        harness::real_event_loop().run(contract::run_concurrently(std::move(all)));

        CHECK(result == desired);
    }
}

awaitable<void> put_under(
    etcd_metastore& store, std::string key, kv::lease_id lease, std::vector<errc>& failed) {
    const auto verdict = co_await store.commit(put(key, "v", lease));
    if (!verdict) failed.push_back(verdict.error().code());
}

TEST_CASE("one transaction that cannot be does not spoil those sent with it") {
    const auto store = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "spoil/"});
    std::vector<errc> failed;
    std::vector<awaitable<void>> all;
    for (int i = 0; i < 20; ++i) {
        const kv::lease_id lease(i == 7 ? 4711 : 0);
        all.push_back(put_under(*store, "key" + std::to_string(i), lease, failed));
    }

    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));

    CHECK(failed == std::vector{errc::not_found});
}

TEST_CASE("more transactions than may wait are turned away at once") {
    const auto store = open(
        {.endpoints = plain_etcd().endpoints(), .key_prefix = "full/", .waiting_commits_max = 4});
    std::vector<errc> failed;
    std::vector<awaitable<void>> all;
    for (int i = 0; i < 50; ++i)
        all.push_back(put_under(*store, "key" + std::to_string(i), {}, failed));

    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));

    CHECK_FALSE(failed.empty());
    CHECK(std::ranges::count(failed, errc::unavailable) == std::ssize(failed));
    CHECK(store->hits().refused == failed.size());
}

awaitable<void> get_one(etcd_metastore& store, std::vector<errc>& failed) {
    const auto look = co_await store.get("key");
    if (!look) failed.push_back(look.error().code());
}

TEST_CASE("more reads than may be under way are turned away at once") {
    const auto store =
        open({.endpoints = plain_etcd().endpoints(), .key_prefix = "reads/", .reads_max = 4});
    std::vector<errc> failed;
    std::vector<awaitable<void>> all;
    for (int i = 0; i < 50; ++i) all.push_back(get_one(*store, failed));

    harness::real_event_loop().run(contract::run_concurrently(std::move(all)));

    CHECK_FALSE(failed.empty());
    CHECK(std::ranges::count(failed, errc::unavailable) == std::ssize(failed));
    CHECK(store->hits().refused == failed.size());
    failed.clear();
    harness::real_event_loop().run(get_one(*store, failed));
    CHECK(failed.empty());
}

// --- links

awaitable<void> lose_the_answer(etcd_metastore& store, harness::faulty_tcp_proxy& link) {
    must(co_await store.commit(put("a", "before")));
    link.stall_answers();
    const auto lost = co_await store.commit(put("a", "after"));
    link.heal();

    REQUIRE_FALSE(lost.has_value());
    CHECK(lost.error().code() == errc::timed_out);
    const auto look = must(co_await store.get("a"));
    CHECK(look.found->value == "after");
}

TEST_CASE("a commit whose answer is lost is called unknown, and was not sent twice") {
    harness::faulty_tcp_proxy link(plain_etcd().port(0));
    const auto store = open({.endpoints = {through(link)}, .key_prefix = "lost/"});

    harness::real_event_loop().run(lose_the_answer(*store, link));

    CHECK(store->counters().batches == 2);
}

awaitable<void> lose_the_end_of_a_lease(etcd_metastore& store, harness::faulty_tcp_proxy& link) {
    const auto lease = must(co_await store.grant(60s));
    link.stall_answers();
    const auto lost = co_await store.revoke(lease);
    link.heal();

    REQUIRE_FALSE(lost.has_value());
    CHECK(lost.error().code() == errc::timed_out);
    const auto again = co_await store.revoke(lease);
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().code() == errc::not_found);
}

TEST_CASE("a lease whose end was asked for without an answer is called unknown, and is gone") {
    harness::faulty_tcp_proxy link(plain_etcd().port(0));
    const auto store = open({.endpoints = {through(link)}, .timeout = 1s});

    harness::real_event_loop().run(lose_the_end_of_a_lease(*store, link));
}

awaitable<void> never_reach_it(etcd_metastore& store) {
    const auto refused = co_await store.commit(put("b", "x"));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::unavailable);
}

TEST_CASE("a commit that was never sent is called undone") {
    harness::faulty_tcp_proxy link(plain_etcd().port(0));
    link.cut();
    const auto store = open({.endpoints = {through(link)}, .timeout = 1s});

    harness::real_event_loop().run(never_reach_it(*store));
}

TEST_CASE("transactions that cannot share a request do not wait for each other's patience") {
    harness::faulty_tcp_proxy link(plain_etcd().port(0));
    link.cut();
    const auto store = open({.endpoints = {through(link)}, .timeout = 500ms});
    harness::real_event_loop world;
    std::vector<errc> failed;
    std::vector<awaitable<void>> all;
    for (int i = 0; i < 100; ++i) all.push_back(put_under(*store, "contested", {}, failed));

    const instant moment = world.clock().now();
    world.run(contract::run_concurrently(std::move(all)));

    CHECK(world.clock().now() - moment < 3s);
    CHECK(std::ranges::count(failed, errc::unavailable) == 100);
}

awaitable<void> read_and_write(etcd_metastore& store) {
    must(co_await store.commit(put("a", "1")));
    const auto look = must(co_await store.get("a"));
    CHECK(look.found->value == "1");
}

TEST_CASE("an endpoint that is silent is left for the next one") {
    harness::faulty_tcp_proxy silent(plain_etcd().port(0));
    silent.stall();
    const auto store =
        open({.endpoints = {through(silent), plain_etcd().endpoints()[0]}, .key_prefix = "next/"});

    harness::real_event_loop().run(read_and_write(*store));

    CHECK(store->counters().retries <= 2);
}

// --- watches

awaitable<void> fall_behind(etcd_metastore& store, int changes) {
    const auto first = must(co_await store.commit(put("w/first", "0"))).at;
    const auto watch = store.watch("w/", first);
    std::size_t observed = std::get<kv::change_batch>(must(co_await watch->next())).changes.size();
    for (int i = 0; i < changes; ++i) must(co_await store.commit(put("w/k", std::to_string(i))));

    auto newest = first;
    while (observed < static_cast<std::size_t>(changes) + 1) {
        const auto event = must(co_await watch->next());
        for (const auto& change : std::get<kv::change_batch>(event).changes) {
            CHECK(kv::revision_of(change) > newest);
            newest = kv::revision_of(change);
            ++observed;
        }
    }
    CHECK(observed == static_cast<std::size_t>(changes) + 1);
}

TEST_CASE("a reader too slow for its buffer gets every change all the same") {
    const auto store = open(
        {.endpoints = plain_etcd().endpoints(),
         .key_prefix = "slow/",
         .watch_buffer_changes_max = 10});

    harness::real_event_loop().run(fall_behind(*store, 100));
}

awaitable<void> expect_over(std::unique_ptr<metastore_watch> watch) {
    const auto event = co_await watch->next();
    REQUIRE_FALSE(event.has_value());
    CHECK(event.error().code() == errc::unavailable);
}

TEST_CASE("a watch that outlives its metastore is over, and says so") {
    auto store = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "over/"});
    auto watch = store->watch("", kv::revision(1));
    store.reset();

    harness::real_event_loop().run(expect_over(std::move(watch)));
}

// --- whole listings and namespaces

awaitable<void> list_in_pages(etcd_metastore& store, int count) {
    for (int first = 0; first < count; first += 100) {
        kv::transaction change;
        for (int i = first; i < first + 100; ++i)
            change.then.push_back(
                kv::put{.key = "list/" + std::to_string(10'000 + i), .value = "v"});
        must(co_await store.commit(std::move(change)));
    }
    const auto before = store.counters().requests;

    kv::range_request request{.prefix = "list/", .after = {}, .limit = 50};
    std::set<std::string> observed;
    for (bool more = true; more;) {
        const auto page = must(co_await store.range(request));
        for (const auto& entry : page.entries) observed.insert(entry.key);
        more = page.more;
        if (more) request.after = page.entries.back().key;
    }

    CHECK(observed.size() == static_cast<std::size_t>(count));
    CHECK(store.counters().requests - before <= 3 * static_cast<std::uint64_t>(count) / 50);
}

TEST_CASE("a long listing comes whole in pages over windows of keys") {
    const auto store = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "pages/"});

    harness::real_event_loop().run(list_in_pages(*store, 2'000));
}

awaitable<void> keep_to_ourselves(etcd_metastore& own, etcd_metastore& other) {
    must(co_await own.commit(put("shared", "mine")));
    const auto theirs = must(co_await other.get("shared"));
    CHECK_FALSE(theirs.found);
    must(co_await other.commit({.when = {}, .then = {kv::erase_prefix{"s"}}}));
    const auto ours = must(co_await own.get("shared"));
    CHECK(ours.found->value == "mine");
}

TEST_CASE("clients with different prefixes do not see each other's keys") {
    const auto own = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "mine/"});
    const auto other = open({.endpoints = plain_etcd().endpoints(), .key_prefix = "other/"});

    harness::real_event_loop().run(keep_to_ourselves(*own, *other));
}

awaitable<void> ask_who(etcd_metastore& store, etcd_identity& etcd_identity) {
    etcd_identity = must(co_await store.identity());
}

TEST_CASE("the cluster says which it is and of what version") {
    const auto store = open({.endpoints = plain_etcd().endpoints()});
    etcd_identity etcd_identity;

    harness::real_event_loop().run(ask_who(*store, etcd_identity));

    CHECK(etcd_identity.version.starts_with("3."));
    CHECK(etcd_identity.cluster != 0);
}

}  // namespace
}  // namespace muster
