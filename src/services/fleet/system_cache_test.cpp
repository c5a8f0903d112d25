#include "services/fleet/system_cache.h"

#include "base/prng.h"
#include "core/lifecycle/enrolment.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace muster::fleet {
namespace {

fingerprint print_of(std::uint64_t seed) {
    prng random(seed);
    fingerprint::bytes_type bytes{};
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random.below(256));
    return fingerprint(bytes);
}

system_record record_of(std::uint64_t seed, enrolment stage, std::int64_t version = 1) {
    system_record system{.print = print_of(seed)};
    system.public_key = std::string(32, 'k');
    system.name = "web" + std::to_string(seed);
    system.machine_id = "machine" + std::to_string(seed);
    system.stage = stage;
    system.enrolled = wall_time(std::chrono::seconds(seed));
    system.version = version;
    if (stage == enrolment::accepted) {
        system.number = system_number(static_cast<std::int64_t>(seed));
        system.zone = seed % 2 == 0 ? "even" : "odd";
        system.tags = {"a", "b"};
        system.accepted = wall_time(std::chrono::seconds(7));
    }
    return system;
}

void apply(system_cache& to, const system_record& row) {
    to.apply(std::span(&row, 1));
}

TEST_CASE("a system is found by fingerprint, number and machine as it was put in") {
    system_cache system_cache;
    const auto web7 = record_of(7, enrolment::accepted);
    apply(system_cache, web7);

    CHECK(system_cache.find(web7.print) == web7);
    CHECK(system_cache.find(system_number(7)) == web7);
    CHECK(system_cache.find_machine("machine7") == std::vector{web7});
    CHECK(system_cache.find(system_number(8)) == std::nullopt);
    CHECK(system_cache.find(system_number(1'000'000)) == std::nullopt);
    CHECK(system_cache.find_machine("machine8").empty());
}

TEST_CASE("the status is what the record and presence say, and New for the unknown") {
    system_cache system_cache;
    struct second_is_attached final : presence::presence_lookup {
        bool is_attached(system_number system) const override { return system == system_number(2); }
    };
    const second_is_attached presence;
    system_cache.use_presence(presence);
    for (const std::uint64_t seed : {1U, 2U})
        apply(system_cache, record_of(seed, enrolment::accepted));
    apply(system_cache, record_of(3, enrolment::pooled));
    apply(system_cache, record_of(4, enrolment::rejected));
    apply(system_cache, record_of(5, enrolment::deleted));

    CHECK(system_cache.status(print_of(1)) == system_state::orphan);
    CHECK(system_cache.status(print_of(2)) == system_state::onboarded);
    CHECK(system_cache.status(print_of(3)) == system_state::fresh);
    CHECK(system_cache.status(print_of(4)) == system_state::fresh);
    CHECK(system_cache.status(print_of(5)) == system_state::deleted);
    CHECK(system_cache.status(print_of(6)) == system_state::fresh);
}

TEST_CASE("older versions never take the place of newer ones, and evicted ones are unknown") {
    system_cache system_cache;
    apply(system_cache, record_of(1, enrolment::accepted, 5));
    apply(system_cache, record_of(1, enrolment::pooled, 4));
    CHECK(system_cache.find(print_of(1))->stage == enrolment::accepted);

    apply(system_cache, record_of(2, enrolment::pooled, 1));
    apply(system_cache, record_of(2, enrolment::evicted, 2));
    CHECK(system_cache.find(print_of(2)) == std::nullopt);
    CHECK(system_cache.count(enrolment::pooled) == 0);
}

TEST_CASE("watchers are told what was and what is, and nothing when nothing changed") {
    system_cache system_cache;
    std::vector<change> changes;
    system_cache.watch([&changes](std::span<const change> observed) {
        changes.insert(changes.end(), observed.begin(), observed.end());
    });
    const auto before = record_of(1, enrolment::accepted, 1);
    auto after = before;
    after.zone = "elsewhere";
    after.version = 2;
    apply(system_cache, before);
    apply(system_cache, after);
    apply(system_cache, before);

    REQUIRE(changes.size() == 2);
    CHECK(changes[0] == change{.before = std::nullopt, .after = before});
    CHECK(changes[1] == change{.before = before, .after = after});
    CHECK_FALSE(must_leave_node(changes[0]));
    CHECK(must_leave_node(changes[1]));
}

TEST_CASE("after a whole reading only what was read is known") {
    system_cache system_cache;
    apply(system_cache, record_of(1, enrolment::accepted));
    apply(system_cache, record_of(2, enrolment::accepted));
    CHECK_FALSE(system_cache.complete());

    system_cache.begin_reading();
    apply(system_cache, record_of(2, enrolment::accepted));
    system_cache.end_reading();

    CHECK(system_cache.complete());
    CHECK(system_cache.find(print_of(1)) == std::nullopt);
    CHECK(system_cache.find(system_number(1)) == std::nullopt);
    CHECK(system_cache.find(print_of(2)).has_value());
    CHECK(system_cache.accepted_in("odd") == 0);
}

TEST_CASE("a visit in pages meets every system once, in order") {
    system_cache system_cache;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed)
        apply(system_cache, record_of(seed, enrolment::pooled));
    std::vector<fingerprint> met;
    std::optional<fingerprint> after;
    do {
        after = system_cache.visit(
            after, 7, [&met](const fingerprint& print, const compact_system_record&) {
                met.push_back(print);
            });
    } while (after);

    CHECK(met.size() == 1000);
    CHECK(std::ranges::is_sorted(met));
    CHECK(system_cache.oldest_unaccepted(2) == std::vector{print_of(1), print_of(2)});
}

// The index against a plain map, over random histories.
TEST_CASE("whatever comes in, counts and lookups are those of the records that stand") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed ", seed);
        prng random(seed);
        system_cache system_cache;
        std::map<std::uint64_t, system_record> model;
        for (int step = 0; step < 2'000; ++step) {
            const auto which = 1 + random.below(200);
            const auto version = static_cast<std::int64_t>(1 + random.below(30));
            auto row = record_of(which, static_cast<enrolment>(random.below(5)), version);
            apply(system_cache, row);
            const auto there = model.find(which);
            if (there != model.end() && there->second.version >= version) continue;
            model.insert_or_assign(which, row);
            if (row.stage == enrolment::evicted) model.erase(which);
        }
        std::map<enrolment, std::size_t> stages;
        std::size_t even = 0;
        for (const auto& [which, row] : model) {
            ++stages[row.stage];
            if (row.zone == "even") ++even;
            CHECK(system_cache.find(row.print) == row);
            if (row.number) CHECK(system_cache.find(row.number) == row);
        }
        for (const auto& [stage, count] : stages) CHECK(system_cache.count(stage) == count);
        CHECK(system_cache.accepted_in("even") == even);
        std::size_t populated = 0;
        for (const auto each : system_cache.population("even")) populated += each;
        CHECK(populated == even);
    }
}

}  // namespace
}  // namespace muster::fleet
