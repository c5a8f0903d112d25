#include "core/events/event_filter.h"
#include "core/events/event_kind.h"
#include "core/events/event_position.h"
#include "core/events/event_row.h"
#include "core/events/webhook_progress.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace muster::events {
namespace {

using namespace std::chrono_literals;

TEST_CASE("without kinds every event is meant, and no return") {
    const auto filter = filter_of(std::string_view()).value();

    CHECK(filter.wants_all_kinds());
    CHECK_FALSE(filter.returns);
}

TEST_CASE("a noun with a star means all of its kinds, and a star alone everything there is") {
    const auto jobs = filter_of("job.*").value();
    CHECK(
        std::ranges::all_of(jobs.kinds, [](const auto& each) { return each.starts_with("job."); }));
    CHECK(std::ranges::count(jobs.kinds, std::string(kind::job_done)) == 1);
    CHECK_FALSE(jobs.returns);

    const auto everything = filter_of("*").value();
    CHECK(everything.wants_all_kinds());
    CHECK(everything.returns);
}

TEST_CASE("returns alone leave the events out, and a kind named twice counts once") {
    const auto returns = filter_of("return").value();
    CHECK(returns.returns);
    CHECK_FALSE(returns.wants_events());

    const auto twice = filter_of("job.done,job.*,job.done").value();
    CHECK(twice.kinds == filter_of("job.*").value().kinds);
}

TEST_CASE("a kind that there is not is refused with those that there are") {
    for (const auto* const wrong :
         {"job.finished",
          "jobs.*",
          "job",
          "job.done,"
          ",node.*"}) {
        const auto refused = filter_of(std::string_view(wrong));
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().code() == errc::invalid);
        CHECK(refused.error().detail().contains("job.done"));
    }
    CHECK_FALSE(filter_of(std::vector<std::string>(51, "job.done")).has_value());
}

TEST_CASE("a cursor is read back as it was written, and nothing else is a cursor") {
    const event_position where{.events = 812, .tasks = 104'233};
    CHECK(to_string(where) == "812.104233");
    CHECK(parse_event_position("812.104233") == where);
    for (const auto* const wrong :
         {"", ".", "1", "1.", ".1", "-1.2", "1.2.3", "a.b", "1.99999999999999999999", " 1.2"})
        CHECK_FALSE(parse_event_position(wrong).has_value());
}

TEST_CASE("an event is read back as it was written") {
    event_record full{
        .anchor = wall_time(5us),
        .id = "node/n1/faulty",
        .kind = std::string(kind::node_faulty),
        .at = wall_time(7us),
        .zone = "default",
        .job = job_id(1'700'000'000'000'001),
        .system = 4711,
        .node = "n1",
        .actor = "admin",
        .data = R"({"reason":"gone"})"};
    auto row = encode_event(full);
    row.emplace_back(std::int64_t{9});
    CHECK(decode_event(row).value() == stored_event{.record = full, .sequence = 9});

    full.job.reset();
    full.system.reset();
    row = encode_event(full);
    CHECK(decode_event(row).error().code() == errc::corrupt);  // without its sequence
    row.emplace_back(std::int64_t{10});
    CHECK(decode_event(row).value().record == full);
}

TEST_CASE("a receiver that took its events is well again, whatever was before") {
    webhook_progress before;
    for (int n = 0; n < 5; ++n) before = after_failure(before, "no", wall_time(1s), {});
    const auto after = after_delivery(
        before, {.next = {.events = 3, .tasks = 4}, .events = 7, .at = wall_time(9s)});

    CHECK(after.position == event_position{.events = 3, .tasks = 4});
    CHECK(after.delivered == 7);
    CHECK(after.failures == 0);
    CHECK(after.last_error.empty());
    CHECK_FALSE(after.failing_since.has_value());
}

TEST_CASE("a receiver is given up after it has failed for days, not after many attempts") {
    const webhook_policy webhook_policy{.give_up_after = 72h};
    webhook_progress now;
    for (int n = 0; n < 1'000; ++n)
        now = after_failure(now, "refused", wall_time(1s), webhook_policy);
    CHECK_FALSE(now.given_up);
    now = after_failure(now, "refused", wall_time(1s) + 71h, webhook_policy);
    CHECK_FALSE(now.given_up);
    now = after_failure(now, "refused", wall_time(1s) + 72h, webhook_policy);
    CHECK(now.given_up);
    CHECK(now.position == event_position());

    now = after_resume(now);
    CHECK_FALSE(now.given_up);
    CHECK_FALSE(after_failure(now, "refused", wall_time(1s) + 73h, webhook_policy).given_up);
}

TEST_CASE("pauses never exceed their ceiling, which doubles up to the longest") {
    const webhook_policy webhook_policy{.first_pause = 1s, .longest_pause = 60s};
    prng random(11);
    webhook_progress failing;
    monotonic::duration ceiling = 1s;
    for (int n = 0; n < 200; ++n) {
        failing = after_failure(failing, "no", wall_time(), webhook_policy);
        const auto pause = pause_after(failing, webhook_policy, random);
        CHECK(pause > 0s);
        CHECK(pause <= ceiling);
        ceiling = std::min<monotonic::duration>(ceiling * 2, 60s);
    }
}

}  // namespace
}  // namespace muster::events
