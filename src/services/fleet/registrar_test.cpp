#include "services/fleet/registrar.h"

#include "services/fleet/caretaker.h"
#include "services/fleet/follower.h"
#include "services/fleet/registrar_fixture.h"
#include "tests/harness/answer_of.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;
using harness::answer_of;

TEST_CASE("a system knocks, is accepted on another server, and is the same on both") {
    world on;
    server one(on);
    server other(on);
    CHECK(one.state_after(server::application_of(1)) == system_state::fresh);

    const auto done = other.accept({print_of(1), print_of(1), print_of(2)});

    CHECK(done.changed == 1);
    CHECK(done.failed == 1);
    CHECK(done.reasons.front().contains("no system has the key"));
    one.catch_up();
    other.catch_up();
    const auto record = one.known.find(print_of(1)).value();
    CHECK(record.stage == enrolment::accepted);
    CHECK(record.number);
    CHECK(other.known.find(print_of(1)) == record);
    CHECK(one.state_after(server::application_of(1)) == system_state::orphan);
}

TEST_CASE("many are accepted in one call, each with a number of its own, and once only") {
    world on;
    server one(on);
    registrar::targets all;
    for (unsigned number = 1; number <= 9'000; ++number) all.push_back(print_of(number));
    std::vector<system_record> pooled;
    for (const auto& each : all) {
        system_record row{.print = each};
        row.name = "web";
        row.enrolled = on.time.wall();
        pooled.push_back(row);
    }
    for (std::size_t at = 0; at < pooled.size(); at += 3'000) {
        const std::vector part(
            pooled.begin() + static_cast<std::ptrdiff_t>(at),
            pooled.begin() + static_cast<std::ptrdiff_t>(at + 3'000));
        REQUIRE(answer_of(one.keys.table().write(part)).value().size() == 3'000);
    }
    one.catch_up();

    progress seen;
    const auto done =
        answer_of(
            one.keys.accept(
                all, {.zone = "default", .by = "admin"}, registrar::newcomers::replace, &seen))
            .value();

    CHECK(done == tally{.changed = 9'000});
    CHECK(seen.done == 9'000);
    std::set<std::int64_t> numbers;
    for (const auto& each : all) numbers.insert(one.known.find(each)->number.value());
    CHECK(numbers.size() == 9'000);
    CHECK_FALSE(numbers.contains(0));
    CHECK(one.accept(all) == tally{.unchanged = 9'000});
}

TEST_CASE("a deleted system stays deleted on every server, even where memory is behind") {
    world on;
    server one(on);
    server behind(on);
    one.knock(1);
    behind.catch_up();
    CHECK(answer_of(one.keys.remove({print_of(1)}, "admin")).value().changed == 1);

    CHECK(behind.known.status(print_of(1)) == system_state::fresh);
    CHECK(behind.accept({print_of(1)}).failed == 1);
    auto renamed = server::application_of(1);
    renamed.said.name = "other";
    CHECK(behind.state_after(renamed) == system_state::deleted);
    behind.catch_up();
    CHECK(behind.known.status(print_of(1)) == system_state::deleted);
}

TEST_CASE("a full pool lets go of the one that waits longest, never of an accepted one") {
    world on;
    server one(on, {.pool_max = 3});
    for (const unsigned number : {1U, 2U}) one.knock(number);
    one.accept({print_of(1)});
    for (const unsigned number : {3U, 4U, 5U}) one.knock(number);

    CHECK(one.known.find(print_of(2)) == std::nullopt);
    CHECK(one.known.find(print_of(1))->stage == enrolment::accepted);
    CHECK(one.known.count(enrolment::pooled) == 3);
    one.knock(2);
    CHECK(one.known.find(print_of(2))->stage == enrolment::pooled);
    CHECK(one.known.find(print_of(3)) == std::nullopt);
}

TEST_CASE("a new key of a known machine waits for an admin and then takes its place") {
    world on;
    server one(on);
    one.knock(1, "machine1");
    one.accept({print_of(1)});
    const auto old = one.known.find(print_of(1)).value();
    const stored_rule everybody{.name = "all", .names = {"*"}, .zone = "default"};
    REQUIRE(answer_of(one.rules.add(everybody)).has_value());

    one.knock(2, "machine1");
    CHECK(one.known.find(print_of(2))->stage == enrolment::pooled);
    CHECK(one.known.find(print_of(2))->replaces == old.number);
    CHECK(one.accept({print_of(2)}).changed == 1);

    CHECK(one.known.find(print_of(2))->number == old.number);
    CHECK(one.known.status(print_of(1)) == system_state::deleted);
    CHECK(one.known.find(old.number)->print == print_of(2));
    one.knock(3, "machine1");
    CHECK(one.accept({print_of(3)}, registrar::newcomers::add).changed == 1);
    CHECK(one.known.find(print_of(3))->number != old.number);
    CHECK(one.known.find(print_of(2))->stage == enrolment::accepted);
}

TEST_CASE("of several keys that claim one machine none is taken unless it is named alone") {
    world on;
    server one(on);
    one.knock(1, "cloned");
    one.accept({print_of(1)});
    for (const unsigned number : {2U, 3U}) one.knock(number, "cloned");

    const auto both = one.accept({print_of(2), print_of(3)});

    CHECK(both.failed == 2);
    CHECK(both.reasons.front().contains("several keys that claim to be system"));
    CHECK(one.known.find(print_of(1))->stage == enrolment::accepted);
    CHECK(one.accept({print_of(2), print_of(3)}, registrar::newcomers::add).changed == 2);
    CHECK(one.known.find(print_of(2))->number != one.known.find(print_of(3))->number);
}

TEST_CASE("evicted rows are erased in two steps, and nothing else is") {
    world on;
    server one(on);
    for (const unsigned number : {1U, 2U, 3U}) one.knock(number);
    REQUIRE(answer_of(one.keys.evict({print_of(1), print_of(2)})).value().changed == 2);
    caretaker cleaner(one.keys, one.known, on.time, on.log, {.keep_evicted = 0s, .settle = 0s});

    REQUIRE(answer_of(cleaner.purge()).value() == 0);  // only marked
    CHECK(one.try_knock(server::application_of(1)).error().code() == errc::unavailable);
    REQUIRE(answer_of(cleaner.purge()).value() == 2);

    CHECK(answer_of(one.keys.table().read({print_of(1), print_of(3)})).value().size() == 1);
    CHECK(one.state_after(server::application_of(1)) == system_state::fresh);
    CHECK(one.known.find(print_of(1))->version == 1);
}

TEST_CASE("one round purges all that the pool let go of, however many there are") {
    constexpr unsigned count = caretaker::rows_at_once + 500;
    world on;
    server one(on);
    std::vector<system_record> rows;
    for (unsigned number = 1; number <= count; ++number)
        rows.push_back(
            {.print = print_of(number), .name = "web", .stage = enrolment::evicted, .version = 2});
    REQUIRE(answer_of(one.keys.table().write(std::move(rows))).value().size() == count);
    caretaker cleaner(
        one.keys, one.known, on.time, on.log, {.keep_evicted = 0s, .settle = 0s, .pause = 1ms});

    REQUIRE(answer_of(cleaner.purge()).value() == 0);  // only marked
    CHECK(answer_of(cleaner.purge()).value() == count);
    CHECK(answer_of(cleaner.purge()).value() == 0);
}

TEST_CASE("while the pool is full what it let go of is kept for a shorter time") {
    world on;
    server one(on);
    for (const unsigned number : {1U, 2U}) one.knock(number);
    REQUIRE(answer_of(one.keys.evict({print_of(1)})).value().changed == 1);
    const caretaker::options roomy{.settle = 0s, .crowded = 2, .keep_crowded = 0s};
    const caretaker::options crowded{.settle = 0s, .crowded = 1, .keep_crowded = 0s};
    caretaker patient(one.keys, one.known, on.time, on.log, roomy);
    caretaker hasty(one.keys, one.known, on.time, on.log, crowded);

    for (int round = 0; round < 2; ++round) CHECK(answer_of(patient.purge()).value() == 0);
    CHECK(answer_of(hasty.purge()).value() == 0);  // only marked
    CHECK(answer_of(hasty.purge()).value() == 1);
}

TEST_CASE("a follower that was away too long reads everything again") {
    world on;
    server one(on);
    one.knock(1);
    one.knock(2);
    fleet late;
    follower follows(*on.records, late, on.time, on.log, {.page_rows = 1, .gap_max = 0s});
    REQUIRE(answer_of(follows.catch_up()).has_value());
    CHECK(late.count(enrolment::pooled) == 2);
    REQUIRE(answer_of(one.keys.table().erase({print_of(1)})).has_value());

    REQUIRE(answer_of(follows.catch_up()).has_value());

    CHECK(late.find(print_of(1)) == std::nullopt);
    CHECK(late.find(print_of(2)).has_value());
}

TEST_CASE("a system that moved to another zone meanwhile is not changed by who may not there") {
    world on;
    server one(on);
    server other(on);
    for (const unsigned number : {1U, 2U}) one.knock(number);
    one.accept({print_of(1), print_of(2)});
    other.catch_up();
    // The other server has not heard of it yet.
    REQUIRE(answer_of(one.keys.move({print_of(1)}, "us", "admin")).value().changed == 1);
    const lifecycle::decider ann("ann", std::set<std::string>{"default"});
    lifecycle::label_change wanted;
    wanted.tags_added = {"hers"};

    const auto done =
        answer_of(other.keys.relabel({print_of(1), print_of(2)}, wanted, ann)).value();

    CHECK(done.changed == 1);
    CHECK(done.failed == 1);
    CHECK(done.reasons.front().contains("zone us"));
    CHECK(answer_of(other.keys.remove({print_of(1), print_of(3)}, ann)).value().failed == 2);
    one.catch_up();
    CHECK(one.known.find(print_of(1))->tags.empty());
    CHECK(one.known.find(print_of(2))->tags == std::vector<std::string>{"hers"});
}

}  // namespace
}  // namespace muster::fleet
