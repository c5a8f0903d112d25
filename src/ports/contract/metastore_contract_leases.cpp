#include "ports/contract/metastore_cases.h"
#include "ports/contract/metastore_test_client.h"

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

// Promises about leases. Times are as short as an engine that counts in seconds allows.
namespace muster::contract {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr auto ttl = 2s;
constexpr auto ended_late_max = 10s;

awaitable<void> an_entry_dies_with_its_lease(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto granted_after = scene.clock().now();
    const auto lease = co_await scene.grant(ttl);
    const auto at = co_await scene.put(scene.key("alive"), "v", lease);
    co_await scene.put(scene.key("free"), "v");
    const auto alive = co_await scene.get(scene.key("alive"));
    REQUIRE(alive.has_value());
    CHECK(alive->lease == lease);

    const auto watch = scene.watch(scene.key("alive"), at.next());
    const auto changes = co_await scene.next_changes(*watch);
    const auto lived = scene.clock().now() - granted_after;
    const auto left = co_await scene.list(scene.prefix());
    const auto stored = co_await scene.store().keep_alive(lease);

    REQUIRE(changes.size() == 1);
    CHECK(std::holds_alternative<kv::erased>(changes[0]));
    CHECK(lived >= ttl);
    CHECK(lived < ttl + ended_late_max);
    CHECK(left.entries.size() == 1);
    REQUIRE_FALSE(stored.has_value());
    CHECK(stored.error().code() == errc::not_found);
}

awaitable<void> a_lease_lives_while_kept(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto lease = co_await scene.grant(ttl);
    co_await scene.put(scene.key("alive"), "v", lease);

    for (int i = 0; i < 8; ++i) {
        co_await scene.sleep(500ms);
        const auto stored = co_await scene.store().keep_alive(lease);
        REQUIRE_MESSAGE(stored.has_value(), to_string(stored.error()));
    }

    const auto alive = co_await scene.get(scene.key("alive"));
    CHECK(alive.has_value());
    const auto revoked = co_await scene.store().revoke(lease);
    CHECK(revoked.has_value());
}

awaitable<void> a_revoked_lease_takes_its_entries(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto lease = co_await scene.grant(60s);
    co_await scene.put(scene.key("b"), "v", lease);
    co_await scene.put(scene.key("a"), "v", lease);
    const auto at = co_await scene.put(scene.key("free"), "v");
    const auto watch = scene.watch(at.next());

    const auto revoked = co_await scene.store().revoke(lease);
    const auto left = co_await scene.list(scene.prefix());
    const auto changes = co_await scene.next_changes(*watch);
    const auto again = co_await scene.store().revoke(lease);
    const auto stored = co_await scene.store().keep_alive(lease);

    CHECK(revoked.has_value());
    CHECK(left.entries.size() == 1);
    REQUIRE(changes.size() == 2);
    CHECK(well_ordered(changes));
    CHECK(kv::revision_of(changes[0]) == kv::revision_of(changes[1]));
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().code() == errc::not_found);
    REQUIRE_FALSE(stored.has_value());
    CHECK(stored.error().code() == errc::not_found);
}

awaitable<void> an_entry_may_leave_its_lease(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto old_lease = co_await scene.grant(60s);
    const auto new_lease = co_await scene.grant(60s);
    CHECK(old_lease != new_lease);
    co_await scene.put(scene.key("freed"), "v", old_lease);
    co_await scene.put(scene.key("moved"), "v", old_lease);
    co_await scene.put(scene.key("freed"), "v");
    co_await scene.put(scene.key("moved"), "v", new_lease);

    const auto revoked = co_await scene.store().revoke(old_lease);
    const auto left = co_await scene.list(scene.prefix());
    const auto revoked_too = co_await scene.store().revoke(new_lease);
    const auto last = co_await scene.list(scene.prefix());

    CHECK(revoked.has_value());
    CHECK(left.entries.size() == 2);
    CHECK(revoked_too.has_value());
    CHECK(last.entries.size() == 1);
}

awaitable<void> an_unknown_lease_is_not_found(metastore_fixture& fixture) {
    metastore_test_client scene(fixture);
    const auto lease = co_await scene.grant(60s);
    const auto revoked = co_await scene.store().revoke(lease);
    REQUIRE(revoked.has_value());

    const auto failure = co_await scene.failure_of(
        {.then = {kv::put{scene.key("a"), "v"}, kv::put{scene.key("b"), "v", lease}}});
    const auto untouched = co_await scene.list(scene.prefix());
    const auto too_short = co_await scene.store().grant(0s);

    CHECK(failure.code() == errc::not_found);
    CHECK(untouched.entries.empty());
    REQUIRE_FALSE(too_short.has_value());
    CHECK(too_short.error().code() == errc::invalid);
}

constexpr metastore_case cases[] = {
    {"an entry dies when its lease is not kept alive, not early, and watches see it",
     metastore_fault::none,
     an_entry_dies_with_its_lease},
    {"an entry lives while its lease is kept alive",
     metastore_fault::none,
     a_lease_lives_while_kept},
    {"a revoked lease takes all its entries at one revision",
     metastore_fault::none,
     a_revoked_lease_takes_its_entries},
    {"an entry written again leaves the lease it was under",
     metastore_fault::none,
     an_entry_may_leave_its_lease},
    {"putting under a lease that has ended is not_found and changes nothing",
     metastore_fault::none,
     an_unknown_lease_is_not_found},
};

}  // namespace

std::span<const metastore_case> lease_cases() {
    return cases;
}

}  // namespace muster::contract
