#include "base/prng.h"
#include "ports/contract/metastore_cases.h"
#include "ports/contract/metastore_test_client.h"
#include "ports/contract/run_concurrently.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

// Promises about many clients at once.
namespace muster::contract {
namespace {

using boost::asio::awaitable;

// One compare-and-set of key `key` from what it holds now to one more.
awaitable<bool> try_increment(metastore_test_client& scene, std::string key) {
    const auto now = co_await scene.get(key);
    REQUIRE(now.has_value());
    const auto next = std::to_string(std::stoi(now->value) + 1);
    kv::transaction change{
        .when = {kv::unchanged{key, now->modified}}, .then = {kv::put{key, next}}};
    const auto verdict = co_await scene.commit(std::move(change));
    co_return verdict.committed;
}

awaitable<void> increment_often(metastore_fixture& fixture, std::string prefix, int times) {
    metastore_test_client client(fixture, std::move(prefix));
    while (times > 0) {
        const bool done = co_await try_increment(client, client.key("counter"));
        if (done) --times;
    }
}

awaitable<void> no_increment_is_lost(metastore_fixture& fixture) {
    constexpr int clients = 8;
    constexpr int increments = 15;
    metastore_test_client scene(fixture);
    co_await scene.put(scene.key("counter"), "0");

    std::vector<awaitable<void>> all;
    for (int i = 0; i < clients; ++i) {
        all.push_back(increment_often(fixture, scene.prefix(), increments));
    }
    co_await run_concurrently(std::move(all));

    const auto counter = co_await scene.get(scene.key("counter"));
    CHECK(counter->value == std::to_string(clients * increments));
}

struct bank {
    static constexpr int accounts = 5;
    static constexpr int total = accounts * 100;
    bool open = true;
};

std::string account(const metastore_test_client& scene, std::uint64_t index) {
    return scene.key("account/" + std::to_string(index));
}

awaitable<void> transfer_often(metastore_fixture& fixture, std::string prefix, std::uint64_t seed) {
    metastore_test_client client(fixture, std::move(prefix));
    prng random(seed);
    for (int i = 0; i < 20; ++i) {
        const auto payer = random.below(bank::accounts);
        const auto payee = (payer + 1 + random.below(bank::accounts - 1)) % bank::accounts;
        const auto from = co_await client.get(account(client, payer));
        const auto to = co_await client.get(account(client, payee));
        kv::transaction change{
            .when = {kv::unchanged{from->key, from->modified}, kv::value_is{to->key, to->value}},
            .then = {
                kv::put{from->key, std::to_string(std::stoi(from->value) - 1)},
                kv::put{to->key, std::to_string(std::stoi(to->value) + 1)}}};
        co_await client.commit(std::move(change));
    }
}

awaitable<void> close_after(std::vector<awaitable<void>> work, bank& money) {
    co_await run_concurrently(std::move(work));
    money.open = false;
}

awaitable<void> count_often(metastore_fixture& fixture, std::string prefix, bank& money) {
    metastore_test_client client(fixture, std::move(prefix));
    while (money.open) {
        int sum = 0;
        const auto page = co_await client.range({.prefix = client.key("account/")});
        for (const auto& entry : page.entries) sum += std::stoi(entry.value);
        REQUIRE(sum == bank::total);
    }
}

awaitable<void> no_half_transaction_is_seen(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    for (int i = 0; i < bank::accounts; ++i) {
        co_await scene.put(account(scene, static_cast<std::uint64_t>(i)), "100");
    }
    bank money;

    std::vector<awaitable<void>> transfers;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        transfers.push_back(transfer_often(fixture, scene.prefix(), seed));
    }
    std::vector<awaitable<void>> all;
    all.push_back(close_after(std::move(transfers), money));
    all.push_back(count_often(fixture, scene.prefix(), money));
    co_await run_concurrently(std::move(all));

    const auto page = co_await scene.range({.prefix = scene.key("account/")});
    CHECK(page.entries.size() == bank::accounts);
}

awaitable<void> answers_are_never_old(metastore_fixture& fixture) {
    metastore_test_client writer(fixture);
    metastore_test_client reader(fixture, writer.prefix());

    for (int i = 0; i < 30; ++i) {
        const auto at = co_await writer.put(writer.key("a"), std::to_string(i));
        const auto page = co_await reader.range({.prefix = reader.prefix()});
        const auto match = co_await reader.get(reader.key("a"));
        REQUIRE(page.at >= at);
        REQUIRE(match.has_value());
        REQUIRE(match->modified == at);
    }
}

awaitable<void> claim(metastore_fixture& fixture, std::string prefix, int name, int& winners) {
    metastore_test_client client(fixture, std::move(prefix));
    kv::transaction change{
        .when = {kv::absent{client.key("leader")}},
        .then = {kv::put{client.key("leader"), std::to_string(name)}}};
    const auto verdict = co_await client.commit(std::move(change));
    if (verdict.committed) {
        ++winners;
    } else {
        REQUIRE(verdict.current.size() == 1);
        CHECK(verdict.current[0].value != std::to_string(name));
    }
}

awaitable<void> one_of_many_wins(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    int winners = 0;

    std::vector<awaitable<void>> all;
    for (int name = 0; name < 20; ++name) {
        all.push_back(claim(fixture, scene.prefix(), name, winners));
    }
    co_await run_concurrently(std::move(all));

    CHECK(winners == 1);
}

constexpr metastore_case cases[] = {
    {"of many concurrent increments of one counter none is lost",
     metastore_fault::none,
     no_increment_is_lost},
    {"no reader ever sees half of a transaction",
     metastore_fault::none,
     no_half_transaction_is_seen},
    {"an answer sees every commit that was acknowledged before, to any client",
     metastore_fault::none,
     answers_are_never_old},
    {"of many who put what must be absent one wins and the others see who",
     metastore_fault::none,
     one_of_many_wins},
};

}  // namespace

std::span<const metastore_case> concurrency_cases() {
    return cases;
}

}  // namespace muster::contract
