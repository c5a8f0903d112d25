#include "roles/node/dispatch/grant_reconciler.h"

#include "roles/node/dispatch/limits_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace muster::dispatch {
namespace {

rollout_options batch_of(double places) {
    return {.batch = amount{.value = places}};
}

bool ended_well(small_cluster& in, unsigned systems) {
    CHECK(in.finished() == systems);
    CHECK(in.run_twice() == 0);
    return in.finished() == systems && in.run_twice() == 0;
}

// Who tells first that it has work may get all places; half of them go to the other as they come
// free.
void share_four_places(small_cluster& in) {
    in.until([&] { return in.running() == 4; });
    while (in.running_of("alpha") != 2) {
        in.finish_one_of(in.running_of("alpha") > 2 ? "alpha" : "beta");
        in.until([&] { return in.running() == 4; });
    }
}

TEST_CASE("a batch holds over two nodes, the job ends, and nothing is left of its limits") {
    small_cluster in(20);
    const auto job = in.make(batch_of(3)).job;
    in.until([&] { return in.running() == 3; });
    CHECK_FALSE(in.quota_keys().empty());

    in.work_through(job);

    CHECK(in.most() == 3);
    CHECK(ended_well(in, 20));
    in.until([&] { return in.quota_keys().empty(); });
}

TEST_CASE("a batch of one reaches the systems of both nodes") {
    small_cluster in(8);
    in.work_through(in.make(batch_of(1)).job);
    CHECK(in.most() == 1);
    CHECK(ended_well(in, 8));
}

TEST_CASE("a node dies with tasks under way: the other finishes, and never are there more") {
    small_cluster in(20);
    const auto job = in.make(batch_of(4)).job;
    share_four_places(in);

    in.kill("beta");
    in.finish_one_of("alpha");
    in.until([&] { return in.running_of("alpha") == 2; });
    CHECK(in.running() == 4);  // what beta started goes on, and is counted
    in.give_up("beta", "alpha");
    in.attach_all();
    in.work_through(job);

    CHECK(in.most() == 4);
    CHECK(ended_well(in, 20));
}

TEST_CASE("the other node gets the places of one that was given up, as its tasks end") {
    small_cluster in(20);
    in.make(batch_of(4));
    share_four_places(in);
    in.kill("beta");
    in.give_up("beta", "alpha");
    in.attach_all();
    in.finish_one_of("beta");
    in.finish_one_of("beta");
    in.until([&] { return in.running_of("alpha") == 4; });
    CHECK(in.most() == 4);
}

TEST_CASE("a node that starts again counts what its former process started") {
    small_cluster in(20);
    const auto job = in.make(batch_of(4)).job;
    share_four_places(in);
    in.kill("alpha");
    in.start("alpha");
    in.attach_all();
    in.finish_one_of("beta");
    in.until([&] { return in.running_of("beta") == 2; });
    in.work_through(job);
    CHECK(in.most() == 4);
    CHECK(ended_well(in, 20));
}

TEST_CASE("another coordinator goes on where one ended") {
    small_cluster in(16);
    const auto job = in.make(batch_of(4)).job;
    share_four_places(in);
    in.kill_chief();
    in.finish_one();
    in.until([&] { return in.running() == 4; });  // nodes need none to use what they have
    in.start_chief();
    in.work_through(job);
    CHECK(in.most() == 4);
    CHECK(ended_well(in, 16));
}

TEST_CASE("a job that goes its way writes nothing of its limits") {
    small_cluster in(60);
    in.make(batch_of(4));
    const auto continue_chain = [&](std::size_t tasks) {
        for (std::size_t each = 0; each < tasks; ++each) {
            in.finish_one();
            in.until([&] { return in.running() == 4; });
        }
    };
    share_four_places(in);
    continue_chain(5);
    const auto before = in.revision();
    continue_chain(10);
    CHECK(in.revision() == before);
}

TEST_CASE("a rate holds over two nodes") {
    small_cluster in(24);
    in.finish_at_once();
    const auto job = in.make({.rate = 10}).job;
    in.work_through(job);
    CHECK(ended_well(in, 24));
    const auto& starts = in.starts();
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
