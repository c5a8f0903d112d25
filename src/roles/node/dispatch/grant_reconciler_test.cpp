#include "roles/node/dispatch/grant_reconciler.h"

#include "roles/node/dispatch/limits_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace muster::dispatch {
namespace {

rollout_options batch_of(double places) {
    return {.batch = amount{.value = places}};
}

bool ended_well(small_cluster& fixture, unsigned systems) {
    CHECK(fixture.finished() == systems);
    CHECK(fixture.run_twice() == 0);
    return fixture.finished() == systems && fixture.run_twice() == 0;
}

// Who tells first that it has work may get all places; half of them go to the other as they come
// free.
void share_four_places(small_cluster& fixture) {
    fixture.until([&] { return fixture.running() == 4; });
    while (fixture.running_of("alpha") != 2) {
        fixture.finish_one_of(fixture.running_of("alpha") > 2 ? "alpha" : "beta");
        fixture.until([&] { return fixture.running() == 4; });
    }
}

TEST_CASE("a batch holds over two nodes, the job ends, and nothing is left of its limits") {
    small_cluster fixture(20);
    const auto job = fixture.make(batch_of(3)).job;
    fixture.until([&] { return fixture.running() == 3; });
    CHECK_FALSE(fixture.quota_keys().empty());

    fixture.work_through(job);

    CHECK(fixture.most() == 3);
    CHECK(ended_well(fixture, 20));
    fixture.until([&] { return fixture.quota_keys().empty(); });
}

TEST_CASE("a batch of one reaches the systems of both nodes") {
    small_cluster fixture(8);
    fixture.work_through(fixture.make(batch_of(1)).job);
    CHECK(fixture.most() == 1);
    CHECK(ended_well(fixture, 8));
}

TEST_CASE("a node dies with tasks under way: the other finishes, and never are there more") {
    small_cluster fixture(20);
    const auto job = fixture.make(batch_of(4)).job;
    share_four_places(fixture);

    fixture.kill("beta");
    fixture.finish_one_of("alpha");
    fixture.until([&] { return fixture.running_of("alpha") == 2; });
    CHECK(fixture.running() == 4);  // what beta started goes on, and is counted
    fixture.give_up("beta", "alpha");
    fixture.attach_all();
    fixture.work_through(job);

    CHECK(fixture.most() == 4);
    CHECK(ended_well(fixture, 20));
}

TEST_CASE("the other node gets the places of one that was given up, as its tasks end") {
    small_cluster fixture(20);
    fixture.make(batch_of(4));
    share_four_places(fixture);
    fixture.kill("beta");
    fixture.give_up("beta", "alpha");
    fixture.attach_all();
    fixture.finish_one_of("beta");
    fixture.finish_one_of("beta");
    fixture.until([&] { return fixture.running_of("alpha") == 4; });
    CHECK(fixture.most() == 4);
}

TEST_CASE("a node that starts again counts what its former process started") {
    small_cluster fixture(20);
    const auto job = fixture.make(batch_of(4)).job;
    share_four_places(fixture);
    fixture.kill("alpha");
    fixture.start("alpha");
    fixture.attach_all();
    fixture.finish_one_of("beta");
    fixture.until([&] { return fixture.running_of("beta") == 2; });
    fixture.work_through(job);
    CHECK(fixture.most() == 4);
    CHECK(ended_well(fixture, 20));
}

TEST_CASE("another coordinator goes on where one ended") {
    small_cluster fixture(16);
    const auto job = fixture.make(batch_of(4)).job;
    share_four_places(fixture);
    fixture.kill_chief();
    fixture.finish_one();
    fixture.until([&] { return fixture.running() == 4; });  // nodes need none to use what they have
    fixture.start_chief();
    fixture.work_through(job);
    CHECK(fixture.most() == 4);
    CHECK(ended_well(fixture, 16));
}

TEST_CASE("a job that goes its way writes nothing of its limits") {
    small_cluster fixture(60);
    fixture.make(batch_of(4));
    const auto continue_chain = [&](std::size_t tasks) {
        for (std::size_t index = 0; index < tasks; ++index) {
            fixture.finish_one();
            fixture.until([&] { return fixture.running() == 4; });
        }
    };
    share_four_places(fixture);
    continue_chain(5);
    const auto before = fixture.revision();
    continue_chain(10);
    CHECK(fixture.revision() == before);
}

TEST_CASE("a rate holds over two nodes") {
    small_cluster fixture(24);
    fixture.finish_at_once();
    const auto job = fixture.make({.rate = 10}).job;
    fixture.work_through(job);
    CHECK(ended_well(fixture, 24));
    const auto& starts = fixture.starts();
    REQUIRE(starts.size() == 24);
    // A second's starts, and what each node may have saved up: a tenth of its part, at least one.
    constexpr std::size_t at_most = 10 + 2;
    for (std::size_t from = 0; from + at_most < starts.size(); ++from) {
        CAPTURE(from);
        CHECK(starts[from + at_most] - starts[from] >= 1s);
    }
}

}  // namespace
}  // namespace muster::dispatch
