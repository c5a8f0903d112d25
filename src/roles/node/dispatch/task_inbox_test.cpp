#include "roles/node/dispatch/task_inbox.h"

#include <doctest/doctest.h>

namespace muster::dispatch {
namespace {

agent_message something() {
    return {.system = system_number(1), .connection = {.loop = 0, .number = 1}, .frame = {}};
}

TEST_CASE("what an agent says when too much waits is dropped, and whoever hands it on is told") {
    task_inbox inbox;
    CHECK(inbox.push(something(), task_inbox::bytes_max));

    CHECK_FALSE(inbox.push(something(), 1));
    CHECK(inbox.push(
        agent_detached{.system = system_number(1), .connection = {.loop = 0, .number = 1}}, 0));

    CHECK(inbox.dropped() == 1);
    CHECK(inbox.take_all().size() == 2);
    CHECK(inbox.push(something(), 1));
}

}  // namespace
}  // namespace muster::dispatch
