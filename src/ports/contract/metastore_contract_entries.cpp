#include "ports/contract/metastore_cases.h"
#include "ports/contract/metastore_test_client.h"
#include "ports/contract/run_concurrently.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

// Promises about single entries, ranges and transactions of one client.
namespace muster::contract {
namespace {

using boost::asio::awaitable;

awaitable<void> entries_are_read_back(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);

    const auto first = co_await scene.put(scene.key("a"), "1");
    const auto second = co_await scene.put(scene.key("a"), "2");
    const auto match = co_await scene.get(scene.key("a"));
    const auto missing = co_await scene.get(scene.key("b"));

    CHECK(first < second);
    const kv::entry expected{scene.key("a"), "2", first, second, {}};
    CHECK(match == expected);
    CHECK_FALSE(missing.has_value());
}

awaitable<void> an_entry_made_anew_is_created_anew(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    co_await scene.put(scene.key("a"), "1");

    const auto gone_at = co_await scene.erase(scene.key("a"));
    const auto gone = co_await scene.get(scene.key("a"));
    const auto again = co_await scene.put(scene.key("a"), "2");
    const auto match = co_await scene.get(scene.key("a"));

    CHECK_FALSE(gone.has_value());
    CHECK(gone_at < again);
    REQUIRE(match.has_value());
    CHECK(match->created == again);
}

awaitable<void> any_bytes_are_kept(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const std::string bytes("\0\xff\n\"'\x80 \0", 8);
    const std::string odd_key = scene.key(bytes);

    co_await scene.put(odd_key, bytes);
    co_await scene.put(scene.key("empty"), "");

    const auto odd = co_await scene.get(odd_key);
    const auto empty = co_await scene.get(scene.key("empty"));
    REQUIRE(odd.has_value());
    CHECK(odd->value == bytes);
    REQUIRE(empty.has_value());
    CHECK(empty->value.empty());
}

awaitable<void> ranges_are_ordered_and_paged(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const std::string prefix = scene.key("p/");
    std::vector<std::string> expected;
    for (int i = 0; i < 25; ++i) {
        const int shuffled = 100 + (i * 7) % 25;
        co_await scene.put(prefix + std::to_string(shuffled), "v");
        expected.push_back(prefix + std::to_string(100 + i));
    }
    const std::string last = prefix + "\xff\xff";
    co_await scene.put(last, "v");
    expected.push_back(last);
    for (const char* neighbour : {"o", "p", "p.", "p0", "q/1"}) {
        co_await scene.put(scene.key(neighbour), "not in the range");
    }

    std::vector<std::string> observed;
    kv::range_request request{.prefix = prefix, .limit = 10};
    for (const bool more : {true, true, false}) {
        const auto page = co_await scene.range(request);
        CHECK(page.more == more);
        CHECK(page.entries.size() <= 10);
        REQUIRE_FALSE(page.entries.empty());
        for (const auto& entry : page.entries) observed.push_back(entry.key);
        request.after = observed.back();
    }

    CHECK(observed == expected);
}

awaitable<void> a_page_that_is_just_full_is_the_last(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    co_await scene.put(scene.key("a"), "v");
    co_await scene.put(scene.key("b"), "v");

    const auto full = co_await scene.range({.prefix = scene.prefix(), .limit = 2});
    const auto nothing = co_await scene.range({.prefix = scene.key("none/"), .limit = 2});
    const auto beyond =
        co_await scene.range({.prefix = scene.prefix(), .after = scene.key("b"), .limit = 2});

    CHECK(full.entries.size() == 2);
    CHECK_FALSE(full.more);
    CHECK(nothing.entries.empty());
    CHECK_FALSE(nothing.more);
    CHECK(beyond.entries.empty());
}

awaitable<void> conditions_hold_when_they_say(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const std::string a = scene.key("a");
    const std::string x = scene.key("x");
    const auto before = co_await scene.put(a, "0");
    const auto at = co_await scene.put(a, "1");
    struct example {
        kv::condition when;
        bool holds;
    };
    const std::vector<example> examples{
        {kv::present{a}, true},
        {kv::present{x}, false},
        {kv::absent{x}, true},
        {kv::absent{a}, false},
        {kv::unchanged{a, at}, true},
        {kv::unchanged{a, before}, false},
        {kv::unchanged{x, at}, false},
        {kv::value_is{a, "1"}, true},
        {kv::value_is{a, "0"}, false},
        {kv::value_is{x, ""}, false},
    };

    for (const auto& one : examples) {
        kv::transaction look{.when = {one.when}};
        const auto verdict = co_await scene.commit(std::move(look));
        CAPTURE(one.when.index());
        CHECK(verdict.committed == one.holds);
    }
}

awaitable<void> a_refusal_changes_nothing_and_tells(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const std::string a = scene.key("a");
    const std::string b = scene.key("b");
    const std::string c = scene.key("c");
    co_await scene.put(b, "1");
    const auto at = co_await scene.put(a, "2");

    kv::transaction change{
        .when = {kv::absent{b}, kv::unchanged{a, at}, kv::absent{c}, kv::present{b}},
        .then = {kv::put{c, "3"}, kv::erase{a}, kv::erase_prefix{b}}};
    const auto verdict = co_await scene.commit(std::move(change));
    const auto after = co_await scene.list(scene.prefix());

    CHECK_FALSE(verdict.committed);
    CHECK(verdict.at >= at);
    REQUIRE(verdict.current.size() == 2);
    CHECK(verdict.current[0] == after.entries.at(a));
    CHECK(verdict.current[1] == after.entries.at(b));
    CHECK(after.entries.size() == 2);
}

awaitable<void> a_transaction_happens_at_one_revision(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    co_await scene.put(scene.key("old/1"), "v");
    co_await scene.put(scene.key("old/2"), "v");
    co_await scene.put(scene.key("single"), "v");
    const auto kept_at = co_await scene.put(scene.key("old"), "v");

    kv::transaction change{
        .when = {kv::present{scene.key("single")}},
        .then = {
            kv::put{scene.key("new/1"), "v"},
            kv::erase_prefix{scene.key("old/")},
            kv::put{scene.key("new/2"), "v"},
            kv::erase{scene.key("single")}}};
    const auto verdict = co_await scene.commit(std::move(change));
    const auto after = co_await scene.list(scene.prefix());

    CHECK(verdict.committed);
    REQUIRE(after.entries.size() == 3);
    CHECK(after.entries.at(scene.key("new/1")).modified == verdict.at);
    CHECK(after.entries.at(scene.key("new/2")).created == verdict.at);
    CHECK(after.entries.at(scene.key("old")).modified == kept_at);
}

awaitable<void> a_transaction_may_change_nothing(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto at = co_await scene.put(scene.key("a"), "v");

    kv::transaction nothing{
        .then = {kv::erase{scene.key("x")}, kv::erase_prefix{scene.key("none/")}}};
    const auto verdict = co_await scene.commit(std::move(nothing));

    CHECK(verdict.committed);
    CHECK(verdict.at >= at);
}

awaitable<void> what_fits_the_limits_is_taken(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const std::string longest =
        scene.key(std::string(kv::limits::key_bytes_max - scene.prefix().size(), 'k'));
    const std::string largest(kv::limits::value_bytes_max, 'v');
    kv::transaction widest;
    for (std::size_t i = 0; i < kv::limits::operations_max; ++i) {
        widest.then.emplace_back(kv::put{scene.key("wide/" + std::to_string(i)), "v"});
        widest.when.emplace_back(kv::absent{scene.key("wide/" + std::to_string(i))});
    }

    co_await scene.put(longest, largest);
    const auto verdict = co_await scene.commit(std::move(widest));
    const auto match = co_await scene.get(longest);
    const auto wide = co_await scene.list(scene.key("wide/"));

    CHECK(verdict.committed);
    REQUIRE(match.has_value());
    CHECK(match->value == largest);
    CHECK(wide.entries.size() == kv::limits::operations_max);
}

awaitable<void> what_breaks_the_limits_is_invalid(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const std::string a = scene.key("a");
    const std::string large(kv::limits::value_bytes_max, 'v');
    const std::vector<kv::transaction> refused{
        {.then = {kv::put{a, "1"}, kv::put{"", "v"}}},
        {.then = {kv::put{a, "1"}, kv::erase_prefix{""}}},
        {.when = {kv::absent{""}}, .then = {kv::put{a, "1"}}},
        {.then = {kv::put{a, "1"}, kv::put{std::string(kv::limits::key_bytes_max + 1, 'k'), "v"}}},
        {.then = {kv::put{a, large + "v"}}},
        {.then = {kv::put{a, large}, kv::put{scene.key("b"), large}}},
        {.then = std::vector<kv::operation>(kv::limits::operations_max + 1, kv::erase{a})},
        {.when = std::vector<kv::condition>(kv::limits::conditions_max + 1, kv::absent{a}),
         .then = {kv::put{a, "1"}}},
        {.then = {kv::put{a, "1"}, kv::put{a, "2"}}},
        {.then = {kv::put{a, "1"}, kv::erase{a}}},
        {.then = {kv::put{a, "1"}, kv::erase_prefix{scene.prefix()}}},
        {.then = {kv::erase_prefix{scene.key("p")}, kv::erase_prefix{scene.key("p/q")}}},
    };

    for (std::size_t i = 0; i < refused.size(); ++i) {
        const auto failure = co_await scene.failure_of(refused[i]);
        CAPTURE(i);
        CHECK(failure.code() == errc::invalid);
        CHECK_FALSE(failure.detail().empty());
    }
    const auto empty_key = co_await scene.store().get("");
    const auto no_page = co_await scene.store().range({.prefix = scene.prefix(), .limit = 0});
    const auto untouched = co_await scene.list(scene.prefix());

    REQUIRE_FALSE(empty_key.has_value());
    CHECK(empty_key.error().code() == errc::invalid);
    REQUIRE_FALSE(no_page.has_value());
    CHECK(no_page.error().code() == errc::invalid);
    CHECK(untouched.entries.empty());
}

constexpr metastore_case cases[] = {
    {"an entry is read back with the revisions it was made and written at",
     metastore_fault::none,
     entries_are_read_back},
    {"an entry that was erased and made again is created anew",
     metastore_fault::none,
     an_entry_made_anew_is_created_anew},
    {"keys and values hold any bytes", metastore_fault::none, any_bytes_are_kept},
    {"a range is in key order, within its prefix, page by page",
     metastore_fault::none,
     ranges_are_ordered_and_paged},
    {"a page says there is more only when there is",
     metastore_fault::none,
     a_page_that_is_just_full_is_the_last},
    {"each kind of condition holds exactly when it says",
     metastore_fault::none,
     conditions_hold_when_they_say},
    {"a refused transaction changes nothing and shows the entries its conditions name",
     metastore_fault::none,
     a_refusal_changes_nothing_and_tells},
    {"a transaction does all it does at one revision",
     metastore_fault::none,
     a_transaction_happens_at_one_revision},
    {"a transaction may find nothing to change",
     metastore_fault::none,
     a_transaction_may_change_nothing},
    {"what fits the limits is taken", metastore_fault::none, what_fits_the_limits_is_taken},
    {"what breaks a limit is invalid and changes nothing",
     metastore_fault::none,
     what_breaks_the_limits_is_invalid},
};

}  // namespace

std::span<const metastore_case> entry_cases() {
    return cases;
}

}  // namespace muster::contract
