#include "roles/node/dispatch/unsent_tasks.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::dispatch {
namespace {

using keys = std::vector<rollout::attempt_key>;

rollout::attempt_key task(std::int64_t system, std::uint32_t attempt = 1) {
    return {.job = job_id(7), .system = system_number(system), .attempt = attempt};
}

TEST_CASE("a start that is being recorded is to be sent when it is on record, and once") {
    unsent_tasks tasks;
    tasks.await_record(task(1));
    CHECK(tasks.take_all().empty());

    tasks.on_recorded(task(1));
    tasks.on_recorded(task(1));

    CHECK(tasks.take_all() == keys{task(1)});
    CHECK(tasks.take_all().empty());
}

TEST_CASE("the record of another attempt sends nothing") {
    unsent_tasks tasks;
    tasks.await_record(task(1, 2));

    tasks.on_recorded(task(1, 1));
    CHECK(tasks.take_all().empty());
    tasks.on_recorded(task(1, 2));

    CHECK(tasks.take_all() == keys{task(1, 2)});
}

TEST_CASE("an attempt that has ended is not sent any more, but the next one is") {
    unsent_tasks tasks;
    tasks.hold(task(1, 1));
    tasks.hold(task(2, 2));

    tasks.on_ended(task(1, 1));
    tasks.on_ended(task(2, 1));

    CHECK(tasks.take_all() == keys{task(2, 2)});
}

TEST_CASE("what is held is given out by job and system, and can be held again") {
    unsent_tasks tasks;
    tasks.hold(task(2));
    tasks.hold(task(1));

    for (const auto& item : tasks.take_all()) tasks.hold(item);

    CHECK(tasks.take_all() == keys{task(1), task(2)});
}

TEST_CASE("a cleared list has nothing left to send or to wait for") {
    unsent_tasks tasks;
    tasks.hold(task(1));
    tasks.await_record(task(2));

    tasks.clear();
    tasks.on_recorded(task(2));

    CHECK(tasks.take_all().empty());
}

}  // namespace
}  // namespace muster::dispatch
