#include "roles/node/dispatch/dispatcher_fixture.h"

#include <doctest/doctest.h>

// What agents say they can bear.
namespace muster::dispatch {
namespace {

TEST_CASE("an agent that runs one task at once is sent the next when that one has come back") {
    room in(2);
    in.attach(1);
    in.attach(2);
    Frame held;
    held.mutable_tasks_held()->set_all(true);
    held.mutable_tasks_held()->set_running_max(1);
    in.say(1, std::move(held));

    const auto first = in.make({.function = "cmd.run"}, 1, 1).job;
    in.until([&] { return in.told(1, Frame::kTask) == 1; });
    const auto second = in.make({.function = "cmd.run"}, 1, 2).job;
    in.until([&] { return in.told(2, Frame::kTask) == 1; });
    CHECK(in.told(1, Frame::kTask) == 1);
    in.report(1, room::report_of(first, Report::OUTCOME_SUCCEEDED));
    in.until([&] { return in.told(1, Frame::kTask) == 2; });

    CHECK(in.sent[1].back().task().job() == second.value());
}

}  // namespace
}  // namespace muster::dispatch
