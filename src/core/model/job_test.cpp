#include "core/model/job.h"

#include "base/prng.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

TEST_CASE("a job's id is twenty digits of UTC time and is read back") {
    const auto when = std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)
                      + std::chrono::hours(5) + std::chrono::minutes(12) + std::chrono::seconds(34)
                      + std::chrono::microseconds(12'345);
    CHECK(to_string(job_id_at(when)) == "20261116051234012345");
    prng random(7);
    for (int round = 0; round < 1000; ++round) {
        const job_id job(static_cast<std::int64_t>(random.below(4'000'000'000'000'000)));
        CHECK(parse_job_id(to_string(job)).value() == job);
    }
}

TEST_CASE("what is not a time is no job's id") {
    for (const auto* text :
         {"",
          "2026111605123401234",
          "202611160512340123456",
          "2026111605123401234x",
          "20261316051234012345",
          "20260230051234012345",
          "20261116251234012345",
          "20261116056034012345",
          "-0261116051234012345"})
        CHECK_MESSAGE(parse_job_id(text).error().code() == errc::invalid, text);
}

TEST_CASE("a part below one system is one system, anything else drops its fraction") {
    CHECK(count_of(parse_amount("25%").value(), 10) == 2);
    CHECK(count_of(parse_amount("1%").value(), 10) == 1);
    CHECK(count_of(parse_amount("10").value(), 4) == 10);
    CHECK(count_of(parse_amount("0%").value(), 10) == 0);
    CHECK(count_of(parse_amount("12.5%").value(), 1000) == 125);
    for (const auto* text : {"", "%", "ten", "-1", "1.5", "101%", "5 %", "1e3", "nan%", "0x10"})
        CHECK_MESSAGE(parse_amount(text).error().code() == errc::invalid, text);
    CHECK(to_string(parse_amount("12.5%").value()) == "12.5%");
    CHECK(to_string(parse_amount("8").value()) == "8");
}

TEST_CASE("states of a task only move forward, but for a new attempt") {
    using enum task_state;
    CHECK(may_follow(queued, picked_up));
    CHECK(may_follow(queued, cancelled));
    CHECK(may_follow(queued, expired));
    CHECK(may_follow(queued, failed));
    CHECK_FALSE(may_follow(queued, completed));
    CHECK(may_follow(picked_up, completed));
    CHECK(may_follow(picked_up, failed));
    CHECK(may_follow(picked_up, queued));
    CHECK_FALSE(may_follow(picked_up, cancelled));
    for (const auto from : {completed, failed, cancelled, expired})
        for (const auto to : {queued, picked_up, completed, failed, cancelled, expired})
            CHECK_FALSE(may_follow(from, to));
}

TEST_CASE("a later record of a task has the larger rank, two ends of one attempt the same") {
    task_record task{.attempt = 1, .state = task_state::picked_up};
    const auto picked_up = rank_of(task);
    task.state = task_state::completed;
    const auto completed = rank_of(task);
    task.state = task_state::failed;
    CHECK(picked_up < completed);
    CHECK(rank_of(task) == completed);
    task.attempt = 2;
    task.state = task_state::queued;
    CHECK(rank_of(task) > completed);
    const auto queued = rank_of(task);
    task.state = task_state::picked_up;
    CHECK(rank_of(task) > queued);
}

TEST_CASE("what an agent told of a task's end takes the place of what was presumed, never back") {
    task_record presumed{.attempt = 1, .state = task_state::failed};
    task_record task = presumed;
    task.picked_up = wall_time(std::chrono::seconds(1));
    task.state = task_state::completed;
    CHECK(rank_of(task) > rank_of(presumed));
}

TEST_CASE("an end that an agent told is not taken back by who still meant to try again") {
    task_record task{
        .attempt = 1, .state = task_state::failed, .picked_up = wall_time(std::chrono::seconds(1))};
    task_record again{.attempt = 2, .state = task_state::queued};
    CHECK(rank_of(task) > rank_of(again));

    again.state = task_state::picked_up;
    CHECK(rank_of(again) > rank_of(task));
}

TEST_CASE("what has no record is queued until its job ends, and then what that end makes of it") {
    CHECK(state_of(nullptr, job_stage::open) == task_state::queued);
    CHECK(state_of(nullptr, job_stage::cancelling) == task_state::queued);
    CHECK(state_of(nullptr, job_stage::cancelled) == task_state::cancelled);
    CHECK(state_of(nullptr, job_stage::halted) == task_state::cancelled);
    CHECK(state_of(nullptr, job_stage::expired) == task_state::expired);
    const task_record ended{.state = task_state::completed};
    CHECK(state_of(&ended, job_stage::cancelled) == task_state::completed);
    const task_record again{.attempt = 2, .state = task_state::queued};
    CHECK(state_of(&again, job_stage::cancelled) == task_state::cancelled);
}

}  // namespace
}  // namespace muster
