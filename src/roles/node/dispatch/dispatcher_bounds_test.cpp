#include "roles/node/dispatch/dispatcher_fixture.h"

#include <doctest/doctest.h>

// What agents say they can bear.
namespace muster::dispatch {
namespace {

TEST_CASE("an agent that runs one task at once is sent the next when that one has come back") {
    room fixture(2);
    fixture.attach(1);
    fixture.attach(2);
    Frame held;
    held.mutable_tasks_held()->set_all(true);
    held.mutable_tasks_held()->set_running_max(1);
    fixture.say(1, std::move(held));

    const auto first = fixture.make({.function = "cmd.run"}, 1, 1).job;
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 1; });
    const auto second = fixture.make({.function = "cmd.run"}, 1, 2).job;
    fixture.until([&] { return fixture.told(2, Frame::kTask) == 1; });
    CHECK(fixture.told(1, Frame::kTask) == 1);
    fixture.report(1, room::report_of(first, Report::OUTCOME_SUCCEEDED));
    fixture.until([&] { return fixture.told(1, Frame::kTask) == 2; });

    CHECK(fixture.sent[1].back().task().job() == second.value());
}

}  // namespace
}  // namespace muster::dispatch
