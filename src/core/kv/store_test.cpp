#include "core/kv/store.h"

#include "core/kv/validate.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace muster::kv {
namespace {

using namespace std::chrono_literals;

constexpr instant start = instant(1h);

std::string repeated(std::size_t bytes) {
    return std::string(bytes, 'v');
}

commit_result commit(store& target, transaction change) {
    const auto outcome = target.commit(change);
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    return outcome->result;
}

errc refusal(store& in, transaction change) {
    const auto before = in.take_snapshot();
    const auto outcome = in.commit(change);
    REQUIRE_FALSE(outcome.has_value());
    CHECK(in.take_snapshot() == before);
    return outcome.error().code();
}

std::vector<std::string> keys_of(const page& of) {
    std::vector<std::string> keys;
    for (const entry& entry : of.entries) keys.push_back(entry.key);
    return keys;
}

TEST_CASE("a key keeps the revision it was created at and gets a new one with each write") {
    store kv;

    CHECK(commit(kv, {.then = {put{"a", "1"}}}).at == revision(1));
    CHECK(commit(kv, {.then = {put{"a", "2"}}}).at == revision(2));

    const entry expected{"a", "2", revision(1), revision(2), {}};
    CHECK(kv.get("a")->found == expected);
    CHECK(kv.get("a")->at == revision(2));
    CHECK_FALSE(kv.get("b")->found.has_value());
}

TEST_CASE("a refused transaction changes nothing and shows the entries its conditions name") {
    store kv;
    commit(kv, {.then = {put{"b", "1"}, put{"a", "1"}}});

    const auto result = commit(
        kv,
        {.when = {absent{"b"}, present{"a"}, absent{"c"}, present{"a"}}, .then = {put{"c", "2"}}});

    CHECK_FALSE(result.committed);
    CHECK(result.at == revision(1));
    REQUIRE(result.current.size() == 2);
    CHECK(result.current[0].key == "a");
    CHECK(result.current[1].key == "b");
    CHECK_FALSE(kv.get("c")->found.has_value());
}

TEST_CASE("every kind of condition holds exactly when it says") {
    store kv;
    commit(kv, {.then = {put{"a", "1"}}});
    commit(kv, {.then = {put{"b", "1"}}});
    const auto holds = [&kv](condition condition) {
        return commit(kv, {.when = {std::move(condition)}}).committed;
    };

    CHECK(holds(present{"a"}));
    CHECK_FALSE(holds(present{"x"}));
    CHECK(holds(absent{"x"}));
    CHECK_FALSE(holds(absent{"a"}));
    CHECK(holds(unchanged{"b", revision(2)}));
    CHECK_FALSE(holds(unchanged{"b", revision(1)}));
    CHECK_FALSE(holds(unchanged{"x", revision(0)}));
    CHECK(holds(value_is{"a", "1"}));
    CHECK_FALSE(holds(value_is{"a", "2"}));
    CHECK_FALSE(holds(value_is{"x", ""}));
}

TEST_CASE("a transaction that changes nothing takes no revision") {
    store kv;
    commit(kv, {.then = {put{"a", "1"}}});

    const auto result = commit(kv, {.then = {erase{"x"}, erase_prefix{"y/"}}});

    CHECK(result.committed);
    CHECK(result.at == revision(1));
}

TEST_CASE("erasing a prefix erases all its keys at one revision, in key order") {
    store kv;
    commit(kv, {.then = {put{"p/2", ""}, put{"p/1", ""}, put{"q", ""}}});

    const auto outcome = kv.commit({.then = {put{"p", "x"}, erase_prefix{"p/"}}});

    const revision at(2);
    const std::vector<change> expected{
        written{{"p", "x", at, at, {}}}, erased{"p/1", at}, erased{"p/2", at}};
    CHECK(outcome->changes == expected);
    CHECK(kv.size() == 2);
}

TEST_CASE("a range is in byte order, stays within its prefix, and says when there is more") {
    store kv;
    const std::string high("p/\xff", 3);
    commit(kv, {.then = {put{high, ""}, put{"p/b", ""}, put{"p/a", ""}}});
    commit(kv, {.then = {put{"o", ""}, put{"q", ""}}});

    const auto first = kv.range({.prefix = "p/", .limit = 2});
    const auto rest = kv.range({.prefix = "p/", .after = "p/b", .limit = 2});

    CHECK(keys_of(*first) == std::vector<std::string>{"p/a", "p/b"});
    CHECK(first->more);
    CHECK(keys_of(*rest) == std::vector<std::string>{high});
    CHECK_FALSE(rest->more);
    CHECK(keys_of(*kv.range({.limit = 10})).size() == 5);
    CHECK(keys_of(*kv.range({.prefix = "p/", .after = "a", .limit = 10})).size() == 3);
    CHECK(keys_of(*kv.range({.prefix = "p/", .after = "q", .limit = 10})).empty());
}

TEST_CASE("what breaks a limit is invalid, changes nothing, and the error names it") {
    store kv;
    const std::string long_key = repeated(limits::key_bytes_max + 1);
    const std::string long_value = repeated(limits::value_bytes_max + 1);
    const std::string half = repeated(limits::value_bytes_max);
    std::vector<operation> many(limits::operations_max + 1, erase{"a"});
    std::vector<condition> conditions(limits::conditions_max + 1, absent{"a"});

    CHECK(refusal(kv, {.then = {put{"", "v"}}}) == errc::invalid);
    CHECK(refusal(kv, {.when = {absent{""}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = {erase_prefix{""}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = {put{long_key, "v"}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = {put{"k", long_value}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = {put{"k", half}, put{"l", half}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = many}) == errc::invalid);
    CHECK(refusal(kv, {.when = conditions}) == errc::invalid);
    CHECK(kv.range({.limit = 0}).error().code() == errc::invalid);
    CHECK(kv.range({.limit = limits::page_entries_max + 1}).error().code() == errc::invalid);
    CHECK(
        kv.commit({.then = {put{"k", long_value}}}).error().detail()
        == "value of \"k\" has 524289 bytes, the limit is 524288");
}

TEST_CASE("a key touched by two operations is invalid, also through a prefix") {
    store kv;

    CHECK(refusal(kv, {.then = {put{"a", "1"}, put{"a", "2"}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = {put{"a", "1"}, erase{"a"}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = {put{"p/a", "1"}, erase_prefix{"p/"}}}) == errc::invalid);
    CHECK(refusal(kv, {.then = {erase_prefix{"p"}, erase_prefix{"p/a"}}}) == errc::invalid);
    CHECK(commit(kv, {.then = {put{"p", "1"}, erase_prefix{"p/"}, put{"q", "1"}}}).committed);
}

TEST_CASE("a store that is full refuses growth and takes what makes it smaller") {
    store kv({.bytes_max = 10});
    commit(kv, {.then = {put{"a", "12345678"}}});

    CHECK(refusal(kv, {.then = {put{"b", "1"}}}) == errc::unavailable);
    CHECK(commit(kv, {.then = {put{"a", "1"}}}).committed);
    CHECK(commit(kv, {.then = {put{"b", "1"}}}).committed);
    CHECK(kv.bytes() == 4);
}

TEST_CASE("an entry dies with its lease, at one revision with all others of the lease") {
    store kv;
    const auto lease = kv.grant(5s, start);
    commit(kv, {.then = {put{"b", "1", *lease}, put{"a", "1", *lease}, put{"c", ""}}});

    CHECK(kv.next_deadline() == start + 5s);
    CHECK(kv.expire(start + 5s - 1ns).empty());
    const auto ended = kv.expire(start + 5s);

    REQUIRE(ended.size() == 1);
    CHECK(ended[0].lease == *lease);
    CHECK(
        ended[0].changes
        == std::vector<change>{erased{"a", revision(2)}, erased{"b", revision(2)}});
    CHECK(kv.size() == 1);
    CHECK_FALSE(kv.next_deadline().has_value());
    CHECK(kv.keep_alive(*lease, start + 6s).error().code() == errc::not_found);
    CHECK(kv.revoke(*lease).error().code() == errc::not_found);
}

TEST_CASE("a lease that is kept alive goes on for its whole time from then") {
    store kv;
    const auto lease = kv.grant(5s, start);

    REQUIRE(kv.keep_alive(*lease, start + 4s).has_value());

    CHECK(kv.expire(start + 8s).empty());
    CHECK(kv.expire(start + 9s).size() == 1);
}

TEST_CASE("an entry written again without its lease outlives it") {
    store kv;
    const auto lease = kv.grant(5s, start);
    commit(kv, {.then = {put{"a", "1", *lease}, put{"b", "1", *lease}}});
    commit(kv, {.then = {put{"a", "2"}, erase{"b"}}});

    CHECK(kv.revoke(*lease)->changes.empty());

    CHECK(kv.get("a")->found->value == "2");
    CHECK(kv.at() == revision(2));
}

TEST_CASE("putting under a lease that does not exist is not_found and changes nothing") {
    store kv;

    CHECK(refusal(kv, {.then = {put{"a", "1"}, put{"b", "1", lease_id(7)}}}) == errc::not_found);
    CHECK(kv.grant(0s, start).error().code() == errc::invalid);
}

TEST_CASE("a watch sees whole revisions of its prefix and nothing else") {
    store kv({.bytes_max = 1000, .history = {.batch_changes_max = 2}});
    commit(kv, {.then = {put{"p/1", ""}, put{"p/2", ""}, put{"p/3", ""}}});
    commit(kv, {.then = {put{"q", ""}}});
    commit(kv, {.then = {put{"p/4", ""}}});

    const auto first = std::get<change_batch>(*kv.changes_since("p/", revision(1)));
    const auto second = std::get<change_batch>(*kv.changes_since("p/", first.up_to.next()));

    CHECK(first.changes.size() == 3);
    CHECK(second.changes.size() == 1);
    CHECK(second.up_to == revision(3));
    CHECK_FALSE(kv.changes_since("p/", revision(4)).has_value());
    CHECK_FALSE(kv.changes_since("r/", revision(1)).has_value());
}

TEST_CASE("a watch from before a compaction is told the oldest revision left") {
    store kv;
    for (int i = 0; i < 5; ++i) commit(kv, {.then = {put{"a", "1"}}});

    REQUIRE(kv.compact(revision(3)).has_value());

    CHECK(std::get<compacted>(*kv.changes_since("a", revision(2))).oldest == revision(3));
    CHECK(std::get<change_batch>(*kv.changes_since("a", revision(3))).changes.size() == 3);
    CHECK(kv.compact(revision(1)).has_value());
    CHECK(kv.oldest() == revision(3));
    CHECK(kv.compact(revision(6)).error().code() == errc::invalid);
}

TEST_CASE("history is bounded by changes and by bytes and keeps the newest revision") {
    store few({.bytes_max = 1'000'000, .history = {.changes_max = 3}});
    store small({.bytes_max = 1'000'000, .history = {.bytes_max = 1'000}});

    for (int i = 0; i < 10; ++i) commit(few, {.then = {put{"a", "1"}}});
    for (int i = 0; i < 3; ++i) commit(small, {.then = {put{"a", repeated(2'000)}}});

    CHECK(few.oldest() == revision(8));
    CHECK(small.oldest() == revision(3));
    CHECK(std::get<change_batch>(*small.changes_since("a", revision(3))).changes.size() == 1);
}

TEST_CASE("a snapshot that contradicts itself is refused as corrupt") {
    const entry sound{"a", "1", revision(1), revision(2), {}};
    const entry from_the_future{"a", "1", revision(1), revision(9), {}};
    const entry without_lease{"a", "1", revision(1), revision(2), lease_id(4)};
    const auto restored = [](std::vector<entry> entries) {
        return store::restore({.at = revision(2), .entries = std::move(entries)}, {}, start);
    };

    CHECK(restored({sound}).has_value());
    CHECK(restored({sound, sound}).error().code() == errc::corrupt);
    CHECK(restored({from_the_future}).error().code() == errc::corrupt);
    CHECK(restored({without_lease}).error().code() == errc::corrupt);
}

TEST_CASE("a key in a message is quoted, cut and printable") {
    CHECK(printable("a\n\"") == "\"a\\x0a\\x22\"");
    CHECK(printable(repeated(100)) == "\"" + repeated(64) + "\"...");
}

}  // namespace
}  // namespace muster::kv
