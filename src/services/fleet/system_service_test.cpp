#include "services/fleet/system_service.h"

#include "services/fleet/evicted_key_pruner.h"
#include "services/fleet/system_follower.h"
#include "services/fleet/system_service_fixture.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

TEST_CASE("a system knocks, is accepted on another server, and is the same on both") {
    world on;
    server one(on);
    server other(on);
    CHECK(one.state_after(server::application_of(1)) == system_state::fresh);

    const auto done = other.accept({print_of(1), print_of(1), print_of(2)});

    CHECK(done.changed == 1);
    CHECK(done.failed == 1);
    CHECK(done.reasons.front().contains("system with key"));
    one.refresh();
    other.refresh();
    const auto record = one.known.find(print_of(1)).value();
    CHECK(record.stage == enrolment::accepted);
    CHECK(record.number);
    CHECK(other.known.find(print_of(1)) == record);
    CHECK(one.state_after(server::application_of(1)) == system_state::orphan);
}

TEST_CASE("many are accepted in one call, each with a number of its own, and once only") {
    world on;
    server server(on);
    system_service::targets all;
    for (unsigned number = 1; number <= 9'000; ++number) all.push_back(print_of(number));
    std::vector<system_record> pooled;
    for (const auto& each : all) {
        system_record row{.print = each};
        row.name = "web";
        row.enrolled = on.clock.wall();
        pooled.push_back(row);
    }
    for (std::size_t at = 0; at < pooled.size(); at += 3'000) {
        const std::vector part(
            pooled.begin() + static_cast<std::ptrdiff_t>(at),
            pooled.begin() + static_cast<std::ptrdiff_t>(at + 3'000));
        REQUIRE(run_sync(server.keys.store().write(part)).value().size() == 3'000);
    }
    server.refresh();

    progress progress;
    const auto done = run_sync(server.keys.accept(
                                   all,
                                   {.zone = "default", .accepted_by = "admin"},
                                   system_service::duplicate_machine_policy::replace,
                                   &progress))
                          .value();

    CHECK(done == bulk_result{.changed = 9'000});
    CHECK(progress.done == 9'000);
    std::set<std::int64_t> numbers;
    for (const auto& each : all) numbers.insert(server.known.find(each)->number.value());
    CHECK(numbers.size() == 9'000);
    CHECK_FALSE(numbers.contains(0));
    CHECK(server.accept(all) == bulk_result{.unchanged = 9'000});
}

TEST_CASE("a deleted system stays deleted on every server, even where memory is behind") {
    world on;
    server one(on);
    server behind(on);
    one.knock(1);
    behind.refresh();
    CHECK(run_sync(one.keys.remove({print_of(1)}, "admin")).value().changed == 1);

    CHECK(behind.known.status(print_of(1)) == system_state::fresh);
    CHECK(behind.accept({print_of(1)}).failed == 1);
    auto renamed = server::application_of(1);
    renamed.request.name = "other";
    CHECK(behind.state_after(renamed) == system_state::deleted);
    behind.refresh();
    CHECK(behind.known.status(print_of(1)) == system_state::deleted);
}

TEST_CASE("a full pool lets go of the one that waits longest, never of an accepted one") {
    world on;
    server server(on, {.pool_max = 3});
    for (const unsigned number : {1U, 2U}) server.knock(number);
    server.accept({print_of(1)});
    for (const unsigned number : {3U, 4U, 5U}) server.knock(number);

    CHECK(server.known.find(print_of(2)) == std::nullopt);
    CHECK(server.known.find(print_of(1))->stage == enrolment::accepted);
    CHECK(server.known.count(enrolment::pooled) == 3);
    server.knock(2);
    CHECK(server.known.find(print_of(2))->stage == enrolment::pooled);
    CHECK(server.known.find(print_of(3)) == std::nullopt);
}

TEST_CASE("a new key of a known machine waits for an admin and then takes its place") {
    world on;
    server server(on);
    server.knock(1, "machine1");
    server.accept({print_of(1)});
    const auto old = server.known.find(print_of(1)).value();
    const stored_rule everybody{.name = "all", .names = {"*"}, .zone = "default"};
    REQUIRE(run_sync(server.rules.add(everybody)).has_value());

    server.knock(2, "machine1");
    CHECK(server.known.find(print_of(2))->stage == enrolment::pooled);
    CHECK(server.known.find(print_of(2))->replaces == old.number);
    CHECK(server.accept({print_of(2)}).changed == 1);

    CHECK(server.known.find(print_of(2))->number == old.number);
    CHECK(server.known.status(print_of(1)) == system_state::deleted);
    CHECK(server.known.find(old.number)->print == print_of(2));
    server.knock(3, "machine1");
    CHECK(server.accept({print_of(3)}, system_service::duplicate_machine_policy::add).changed == 1);
    CHECK(server.known.find(print_of(3))->number != old.number);
    CHECK(server.known.find(print_of(2))->stage == enrolment::accepted);
}

TEST_CASE("of several keys that claim one machine none is taken unless it is named alone") {
    world on;
    server server(on);
    server.knock(1, "cloned");
    server.accept({print_of(1)});
    for (const unsigned number : {2U, 3U}) server.knock(number, "cloned");

    const auto both = server.accept({print_of(2), print_of(3)});

    CHECK(both.failed == 2);
    CHECK(both.reasons.front().contains("several keys claim to be system"));
    CHECK(server.known.find(print_of(1))->stage == enrolment::accepted);
    CHECK(
        server.accept({print_of(2), print_of(3)}, system_service::duplicate_machine_policy::add)
            .changed
        == 2);
    CHECK(server.known.find(print_of(2))->number != server.known.find(print_of(3))->number);
}

TEST_CASE("evicted rows are erased in two steps, and nothing else is") {
    world on;
    server one(on);
    for (const unsigned number : {1U, 2U, 3U}) one.knock(number);
    REQUIRE(run_sync(one.keys.evict({print_of(1), print_of(2)})).value().changed == 2);
    evicted_key_pruner cleaner(
        one.keys, one.known, on.clock, on.log, {.keep_evicted = 0s, .mark_age_min = 0s});

    REQUIRE(run_sync(cleaner.purge()).value() == 0);  // only marked
    CHECK(one.try_knock(server::application_of(1)).error().code() == errc::unavailable);
    REQUIRE(run_sync(cleaner.purge()).value() == 2);

    CHECK(run_sync(one.keys.store().read({print_of(1), print_of(3)})).value().size() == 1);
    CHECK(one.state_after(server::application_of(1)) == system_state::fresh);
    CHECK(one.known.find(print_of(1))->version == 1);
}

TEST_CASE("one round purges all that the pool let go of, however many there are") {
    constexpr unsigned count = evicted_key_pruner::rows_at_once + 500;
    world on;
    server server(on);
    std::vector<system_record> rows;
    for (unsigned number = 1; number <= count; ++number)
        rows.push_back(
            {.print = print_of(number), .name = "web", .stage = enrolment::evicted, .version = 2});
    REQUIRE(run_sync(server.keys.store().write(std::move(rows))).value().size() == count);
    evicted_key_pruner cleaner(
        server.keys,
        server.known,
        on.clock,
        on.log,
        {.keep_evicted = 0s, .mark_age_min = 0s, .pause = 1ms});

    REQUIRE(run_sync(cleaner.purge()).value() == 0);  // only marked
    CHECK(run_sync(cleaner.purge()).value() == count);
    CHECK(run_sync(cleaner.purge()).value() == 0);
}

TEST_CASE("while the pool is full what it let go of is kept for a shorter time") {
    world on;
    server server(on);
    for (const unsigned number : {1U, 2U}) server.knock(number);
    REQUIRE(run_sync(server.keys.evict({print_of(1)})).value().changed == 1);
    const evicted_key_pruner::options roomy{
        .mark_age_min = 0s, .crowded_pool = 2, .keep_crowded = 0s};
    const evicted_key_pruner::options crowded{
        .mark_age_min = 0s, .crowded_pool = 1, .keep_crowded = 0s};
    evicted_key_pruner patient(server.keys, server.known, on.clock, on.log, roomy);
    evicted_key_pruner hasty(server.keys, server.known, on.clock, on.log, crowded);

    for (int round = 0; round < 2; ++round) CHECK(run_sync(patient.purge()).value() == 0);
    CHECK(run_sync(hasty.purge()).value() == 0);  // only marked
    CHECK(run_sync(hasty.purge()).value() == 1);
}

TEST_CASE("a follower that was away too long reads everything again") {
    world on;
    server server(on);
    server.knock(1);
    server.knock(2);
    system_cache late;
    system_follower follows(*on.records, late, on.clock, on.log, {.page_rows = 1, .gap_max = 0s});
    REQUIRE(run_sync(follows.refresh()).has_value());
    CHECK(late.count(enrolment::pooled) == 2);
    REQUIRE(run_sync(server.keys.store().erase({print_of(1)})).has_value());

    REQUIRE(run_sync(follows.refresh()).has_value());

    CHECK(late.find(print_of(1)) == std::nullopt);
    CHECK(late.find(print_of(2)).has_value());
}

TEST_CASE("a system that moved to another zone meanwhile is not changed by who may not there") {
    world on;
    server one(on);
    server other(on);
    for (const unsigned number : {1U, 2U}) one.knock(number);
    one.accept({print_of(1), print_of(2)});
    other.refresh();
    // The other server has not heard of it yet.
    REQUIRE(run_sync(one.keys.move({print_of(1)}, "us", "admin")).value().changed == 1);
    const lifecycle::actor_scope ann("ann", std::set<std::string>{"default"});
    lifecycle::label_change label_change;
    label_change.tags_added = {"hers"};

    const auto done =
        run_sync(other.keys.relabel({print_of(1), print_of(2)}, label_change, ann)).value();

    CHECK(done.changed == 1);
    CHECK(done.failed == 1);
    CHECK(done.reasons.front().contains("zone \"us\""));
    CHECK(run_sync(other.keys.remove({print_of(1), print_of(3)}, ann)).value().failed == 2);
    one.refresh();
    CHECK(one.known.find(print_of(1))->tags.empty());
    CHECK(one.known.find(print_of(2))->tags == std::vector<std::string>{"hers"});
}

}  // namespace
}  // namespace muster::fleet
