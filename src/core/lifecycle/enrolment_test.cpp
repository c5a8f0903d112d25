#include "core/lifecycle/enrolment.h"

#include "base/prng.h"
#include "core/lifecycle/labels.h"

#include <doctest/doctest.h>

#include <set>

namespace muster::lifecycle {
namespace {

using namespace std::chrono_literals;

const wall_time noon =
    std::chrono::sys_days(std::chrono::year(2027) / 3 / 1) + std::chrono::hours(12);

fingerprint print_of(unsigned char first) {
    fingerprint::bytes_type bytes{};
    bytes.front() = first;
    return fingerprint(bytes);
}

enrol_request web1() {
    return {
        .print = print_of(1),
        .public_key = std::string(32, 'k'),
        .name = "web1",
        .machine_id = "m1",
        .origin = "192.0.2.1"};
}

const acceptance_options to_default{
    .zone = "default", .tags = {"db"}, .groups = {}, .accepted_by = "admin"};

system_record pooled() {
    return **enrol(std::nullopt, web1(), std::nullopt, noon);
}

system_record accepted() {
    return **accept(pooled(), to_default, {.number = system_number(7), .replaced = {}}, noon);
}

TEST_CASE("an unknown system stands in the pool, and is written once however often it knocks") {
    const auto first = pooled();

    CHECK(first.stage == enrolment::pooled);
    CHECK(first.version == 1);
    CHECK(enrol(first, web1(), std::nullopt, noon + 1h).value() == std::nullopt);
}

TEST_CASE("a system that comes with another name is the same system, renamed") {
    auto renamed = web1();
    renamed.name = "web1.acme.org";

    const auto next = enrol(accepted(), renamed, std::nullopt, noon).value().value();

    CHECK(next.name == "web1.acme.org");
    CHECK(next.number == system_number(7));
    CHECK(next.stage == enrolment::accepted);
    CHECK(next.version == accepted().version + 1);
}

TEST_CASE("accepting gives number, zone and labels, once") {
    const auto reserved = accepted();

    CHECK(reserved.number == system_number(7));
    CHECK(reserved.zone == "default");
    CHECK(reserved.tags == std::vector<std::string>{"db"});
    CHECK(reserved.accepted == noon);
    CHECK(reserved.accepted_by == "admin");
    const auto repeated =
        accept(reserved, to_default, {.number = system_number(8), .replaced = {}}, noon);
    CHECK(repeated.value() == std::nullopt);
}

TEST_CASE("a new key of a known machine takes over number, zone and labels of the old one") {
    const auto old = accepted();
    auto reinstalled = web1();
    reinstalled.print = print_of(2);

    const auto newcomer = enrol(std::nullopt, reinstalled, old, noon).value().value();
    CHECK(newcomer.replaces == old.number);
    CHECK(newcomer.stage == enrolment::pooled);

    const acceptance_options bare{
        .zone = "", .tags = {"fresh"}, .groups = {}, .accepted_by = "admin"};
    const auto next =
        accept(newcomer, bare, {.number = system_number(9), .replaced = old}, noon).value().value();
    CHECK(next.number == old.number);
    CHECK(next.zone == "default");
    CHECK(next.tags == std::vector<std::string>{"db", "fresh"});
}

TEST_CASE("what is deleted stays deleted whatever is done to it") {
    const auto gone = remove(accepted(), print_of(1), noon).value().value();

    CHECK(gone.version == version_of_deleted);
    CHECK(enrol(gone, web1(), std::nullopt, noon).value() == std::nullopt);
    const assigned_identity free{.number = system_number(9), .replaced = {}};
    CHECK(accept(gone, to_default, free, noon).error().code() == errc::conflict);
    CHECK(reject(gone).error().code() == errc::conflict);
    CHECK(unregister(gone).error().code() == errc::conflict);
    CHECK(move_to_zone(gone, "b").error().code() == errc::conflict);
    CHECK(relabel(gone, {.tags_added = {"x"}}).error().code() == errc::conflict);
    CHECK(evict(gone).error().code() == errc::conflict);
    CHECK(purge(gone).error().code() == errc::conflict);
    CHECK(remove(gone, print_of(1), noon).value() == std::nullopt);
}

TEST_CASE("an unknown fingerprint can be banned before it ever knocks") {
    const auto banned = remove(std::nullopt, print_of(3), noon).value().value();

    CHECK(banned.stage == enrolment::deleted);
    CHECK(banned.print == print_of(3));
}

TEST_CASE("the pool lets go only of those who wait in it") {
    CHECK(evict(accepted()).error().code() == errc::conflict);
    const auto gone = evict(pooled()).value().value();

    const auto back = enrol(gone, web1(), std::nullopt, noon + 1h).value().value();

    CHECK(back.stage == enrolment::pooled);
    CHECK(back.enrolled == noon + 1h);
    CHECK(back.version == 3);
}

TEST_CASE("a row that is about to be erased takes no change") {
    const auto gone = purge(evict(pooled()).value().value()).value().value();

    CHECK(is_purged(gone));
    CHECK(enrol(gone, web1(), std::nullopt, noon).error().code() == errc::unavailable);
    CHECK(remove(gone, print_of(1), noon).error().code() == errc::unavailable);
}

TEST_CASE("labels are added and taken away, sorted and each once") {
    const auto next =
        relabel(accepted(), {.tags_added = {"web", "blue", "web"}, .tags_removed = {"db"}})
            .value()
            .value();

    CHECK(next.tags == std::vector<std::string>{"blue", "web"});
    CHECK(relabel(next, {.tags_added = {"web"}}).value() == std::nullopt);
    CHECK(check(label_change{.tags_added = {"two words"}}).error().code() == errc::invalid);
    CHECK(split_labels(join_labels(next.tags)) == next.tags);
}

TEST_CASE("hostile names are refused with the field's name") {
    for (const auto* bad : {"", "a b", "web\n1", "<b>", "web/1"}) {
        auto message = web1();
        message.name = bad;
        CHECK(check(message).error().detail().contains("`name`"));
    }
    CHECK(check(web1()).has_value());
}

// Random deeds on one record: versions only grow, and numbers are given once.
TEST_CASE("whatever is done, versions grow, a number never changes, and deleted is the end") {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        INFO("seed ", seed);
        prng random(seed);
        auto record = pooled();
        for (int step = 0; step < 30; ++step) {
            const assigned_identity free{.number = system_number(100 + step), .replaced = {}};
            auto message = web1();
            message.name = random.chance(500) ? "web1" : "web2";
            next_record done;
            switch (random.below(9)) {
                case 0:
                    done = enrol(record, message, std::nullopt, noon);
                    break;
                case 1:
                    done = accept(record, to_default, free, noon);
                    break;
                case 2:
                    done = reject(record);
                    break;
                case 3:
                    done = random.chance(50) ? remove(record, record.print, noon) : done;
                    break;
                case 4:
                    done = unregister(record);
                    break;
                case 5:
                    done = move_to_zone(record, random.chance(500) ? "a" : "b");
                    break;
                case 6:
                    done = relabel(record, {.tags_added = {"t"}});
                    break;
                case 7:
                    done = evict(record);
                    break;
                default:
                    done = random.chance(50) ? purge(record) : done;
                    break;
            }
            if (!done || !*done) continue;
            const auto& next = **done;
            CHECK(next.version > record.version);
            if (record.number) CHECK(next.number == record.number);
            CHECK(record.stage != enrolment::deleted);
            record = next;
        }
    }
}

}  // namespace
}  // namespace muster::lifecycle
