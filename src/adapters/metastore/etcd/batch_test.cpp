#include "adapters/metastore/etcd/batch.h"

#include <doctest/doctest.h>

#include <list>
#include <string>
#include <vector>

namespace muster::etcd {
namespace {

kv::transaction increment(const std::string& key) {
    return {
        .when = {kv::unchanged{.key = key, .modified = kv::revision(7)}},
        .then = {kv::put{.key = key, .value = "8"}}};
}

kv::transaction wide(const std::string& name, int puts) {
    kv::transaction change;
    for (int i = 0; i < puts; ++i)
        change.then.push_back(kv::put{.key = name + std::to_string(i), .value = "v"});
    return change;
}

void nobody(const result<kv::commit_result>& /*outcome*/) {}

std::list<waiting_commit> queue_of(std::vector<kv::transaction> changes) {
    std::list<waiting_commit> queue;
    for (auto& change : changes) queue.emplace_back(std::move(change), nobody);
    return queue;
}

bool can_share_batch(const kv::transaction& transaction, const kv::transaction& other) {
    key_conflicts claimed;
    claimed.add(transaction);
    return !claimed.conflicts_with(other);
}

TEST_CASE("transactions share a batch only when neither writes what the other reads or writes") {
    const kv::transaction reads_a{.when = {kv::present{"a"}}, .then = {}};
    const kv::transaction writes_a{.when = {}, .then = {kv::put{.key = "a", .value = "1"}}};
    const kv::transaction erases_a{.when = {}, .then = {kv::erase{"a"}}};
    const kv::transaction clears_dir{.when = {}, .then = {kv::erase_prefix{"dir/"}}};
    const kv::transaction clears_part{.when = {}, .then = {kv::erase_prefix{"dir/part/"}}};
    const kv::transaction writes_in_dir{
        .when = {}, .then = {kv::put{.key = "dir/x", .value = "1"}}};
    const kv::transaction reads_in_dir{.when = {kv::absent{"dir/x"}}, .then = {}};

    CHECK(can_share_batch(reads_a, reads_a));
    CHECK(can_share_batch(writes_a, writes_in_dir));
    CHECK(can_share_batch(clears_dir, writes_a));
    CHECK_FALSE(can_share_batch(reads_a, writes_a));
    CHECK_FALSE(can_share_batch(writes_a, reads_a));
    CHECK_FALSE(can_share_batch(writes_a, erases_a));
    CHECK_FALSE(can_share_batch(clears_dir, writes_in_dir));
    CHECK_FALSE(can_share_batch(writes_in_dir, clears_dir));
    CHECK_FALSE(can_share_batch(clears_dir, reads_in_dir));
    CHECK_FALSE(can_share_batch(reads_in_dir, clears_dir));
    CHECK_FALSE(can_share_batch(clears_dir, clears_part));
    CHECK_FALSE(can_share_batch(clears_part, clears_dir));
}

TEST_CASE("a batch takes the independent ones in order of arrival and leaves the others in order") {
    auto queue = queue_of({increment("a"), increment("b"), increment("a"), increment("c")});

    const auto first = pop_batch(queue, {});
    CHECK(first.size() == 3);
    REQUIRE(queue.size() == 1);
    CHECK(queue.front().was_skipped());

    const auto second = pop_batch(queue, {});
    CHECK(second.size() == 1);
    CHECK(queue.empty());
}

TEST_CASE("nobody overtakes a transaction that was passed over and that he conflicts with") {
    const kv::transaction both{
        .when = {}, .then = {kv::put{.key = "a", .value = "1"}, kv::put{.key = "b", .value = "1"}}};
    auto queue = queue_of({increment("a"), both, increment("b")});

    const auto first = pop_batch(queue, {});

    CHECK(first.size() == 1);
    CHECK(queue.size() == 2);
}

TEST_CASE("a batch stays within what etcd takes: nested transactions plus the widest of them") {
    std::vector<kv::transaction> many;
    for (int i = 0; i < 200; ++i) many.push_back(increment("key" + std::to_string(i)));
    auto narrow = queue_of(std::move(many));
    CHECK(pop_batch(narrow, {}).size() == 127);

    auto mixed = queue_of({increment("a"), wide("w", 126), increment("b")});
    CHECK(pop_batch(mixed, {}).size() == 2);
    auto full = queue_of({increment("a"), wide("w", 127), increment("b")});
    CHECK(pop_batch(full, {}).size() == 1);
    CHECK(pop_batch(full, {}).size() == 1);
}

TEST_CASE("a transaction of any allowed size goes alone when it must") {
    auto queue = queue_of({wide("w", 128), increment("a")});

    CHECK(pop_batch(queue, {}).size() == 1);
    CHECK(pop_batch(queue, {.bytes_max = 1}).size() == 1);
}

TEST_CASE("a batch stays within its bytes") {
    const std::string value(500'000, 'v');
    std::vector<kv::transaction> heavy;
    for (int i = 0; i < 4; ++i) {
        heavy.push_back(
            {.when = {}, .then = {kv::put{.key = "k" + std::to_string(i), .value = value}}});
    }
    auto queue = queue_of(std::move(heavy));

    CHECK(pop_batch(queue, {}).size() == 2);
}

TEST_CASE("transactions that are joined count as the sum of their conditions or operations") {
    const kv::transaction looks{.when = {kv::present{"a"}, kv::present{"b"}}, .then = {}};

    CHECK(joined_width(queue_of({increment("x"), increment("y")})) == 2);
    CHECK(joined_width(queue_of({increment("x"), wide("w", 5)})) == 6);
    CHECK(joined_width(queue_of({increment("x"), looks, looks})) == 5);
}

TEST_CASE("who waits is told even when nobody gets to it") {
    errc told_unsent{};
    errc told_sent{};
    {
        waiting_commit unsent(
            increment("a"), [&](const auto& outcome) { told_unsent = outcome.error().code(); });
        waiting_commit sent(
            increment("b"), [&](const auto& outcome) { told_sent = outcome.error().code(); });
        sent.mark_sent();
    }

    CHECK(told_unsent == errc::unavailable);
    CHECK(told_sent == errc::timed_out);
}

}  // namespace
}  // namespace muster::etcd
