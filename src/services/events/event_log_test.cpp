#include "services/events/event_log.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "base/prng.h"
#include "core/events/event_kind.h"
#include "runtime/clock.h"
#include "services/events/event_writer.h"
#include "services/jobs/job_store.h"
#include "services/jobs/job_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace muster::events {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;

struct world {
    harness::temporary_directory where{"events"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    jobs::job_store jobs{*records, clock};
    event_log events{*records, clock};

    world() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }

    void write(std::vector<event_record> what) {
        REQUIRE(run_sync(events.write(std::move(what))).has_value());
    }
    // As a node does.
    void end_task(job_id job, std::int64_t system, task_state state = task_state::completed) {
        task_record task;
        task.job = job;
        task.system = system;
        task.state = state;
        task.picked_up = clock.wall();
        if (is_final(state)) task.ended = clock.wall();
        task.node = "n1";
        task.digest = std::string(32, 'd');
        table::batch batch;
        batch.writes.push_back(
            {.table = std::string(jobs::tasks_table),
             .rows = {jobs::encode_task(task)},
             .existing = table::replace_if_grows{"rank"}});
        REQUIRE(run_sync(records->write(std::move(batch))).has_value());
    }
    event_log::page read(
        const std::string& kinds, event_position from = {}, std::size_t limit = 1'000) {
        return run_sync(events.read(filter_of(kinds).value(), from, limit)).value();
    }
};

event_record node_event(const std::string& node, std::int64_t at = 1) {
    event_record event;
    event.anchor = wall_time(std::chrono::microseconds(at));
    event.id = "node/" + node;
    event.kind = std::string(kind::node_faulty);
    event.at = event.anchor;
    event.node = node;
    event.data = "{}";
    return event;
}

std::vector<std::string> ids(const event_log::page& page) {
    std::vector<std::string> all;
    for (const auto& item : page.items) all.push_back(item.event.id);
    return all;
}

TEST_CASE("an event that is told twice is on record once, as it was told first") {
    world on;
    on.write({node_event("n1")});
    auto again = node_event("n1");
    again.actor = "somebody else";
    on.write({again, node_event("n2")});

    const auto page = on.read("");
    CHECK(ids(page) == std::vector<std::string>{"node/n1", "node/n2"});
    CHECK(page.items.front().event.actor.empty());
    CHECK_FALSE(page.more);
    CHECK(on.read("", page.next).items.empty());
}

TEST_CASE("whatever a reader asks for, its cursor passes what was for others") {
    world on;
    on.write({node_event("n1"), node_event("n2")});

    const auto nothing = on.read("calendar.*");
    CHECK(nothing.items.empty());
    CHECK(nothing.next == run_sync(on.events.end()).value());
    on.write({node_event("n3")});
    CHECK(ids(on.read("", nothing.next)) == std::vector<std::string>{"node/n3"});
}

TEST_CASE("a return is told without what it printed, and one of another job or system is not") {
    world on;
    const job_id job(1'700'000'000'000'000);
    on.end_task(job, 7);
    on.end_task(job, 8, task_state::failed);
    on.end_task(job, 9, task_state::picked_up);
    on.end_task(job.next(), 7);

    auto filter = filter_of("return").value();
    filter.job = job;
    const auto of_job = run_sync(on.events.read(filter, {}, 100)).value();
    REQUIRE(of_job.items.size() == 2);
    CHECK(of_job.items[1].event.system == 8);
    CHECK(of_job.items[1].event.data.contains(R"("state":"failed")"));
    CHECK(of_job.items[0].event.data.contains(R"("digest":"6464)"));
    filter.system = 7;
    CHECK(run_sync(on.events.read(filter, {}, 100)).value().items.size() == 1);
}

TEST_CASE("a cursor of another cluster is refused instead of waiting for ever") {
    world on;
    on.write({node_event("n1")});
    const auto refused =
        run_sync(on.events.read(filter_of("").value(), {.events = 1'000, .tasks = 0}, 10));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid);
}

TEST_CASE("a time is a place: what was written then or later comes, what is older does not") {
    world on;
    for (std::int64_t n = 1; n <= 100; ++n)
        on.write({node_event("n" + std::to_string(n), n * 1'000'000)});

    for (const std::int64_t second : {0, 1, 2, 50, 99, 100, 101}) {
        const auto from =
            run_sync(on.events.position_at(wall_time(std::chrono::seconds(second)))).value();
        const auto page = on.read("", from);
        CAPTURE(second);
        CHECK(
            page.items.size() == static_cast<std::size_t>(101 - std::max<std::int64_t>(second, 1)));
    }
}

// Random writers and a reader with pages of random sizes, against what was written.
TEST_CASE("whoever follows by cursor sees everything once, and a job's end after its returns") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        world on;
        prng random(seed);
        std::multiset<std::string> written;
        std::vector<std::string> observed;
        event_position cursor;
        const auto read_some = [&] {
            const auto page = on.read("*", cursor, 1 + random.below(5));
            for (const auto& item : page.items) observed.push_back(item.event.id);
            // Going on behind any single event is as good as going on behind the page.
            cursor = random.chance(300) && !page.items.empty() ? page.items.back().at : page.next;
            return page.more || !page.items.empty();
        };
        std::map<std::int64_t, std::int64_t> left;  // job and its systems that have not ended
        for (int step = 0; step < 60; ++step) {
            const auto choice = random.below(4);
            if (choice == 0)
                left[1'700'000'000'000'000 + step] = 1 + static_cast<std::int64_t>(random.below(4));
            if (choice == 1 && !left.empty()) {
                auto& [job, systems] = *left.begin();
                for (; systems > 0; --systems) {
                    on.end_task(job_id(job), systems);
                    written.insert(return_event({.job = job_id(job), .system = systems}).id);
                }
                auto end = node_event("end/" + to_string(job_id(job)));
                end.job = job_id(job);
                on.write({end});
                written.insert(end.id);
                left.erase(left.begin());
            }
            if (choice == 2) {
                const auto event = node_event("n" + std::to_string(step));
                on.write({event});
                written.insert(event.id);
            }
            if (choice == 3) read_some();
        }
        while (read_some()) {}

        CHECK(std::multiset<std::string>(observed.begin(), observed.end()) == written);
        std::set<std::string> ended;
        for (const auto& each : observed) {
            if (each.starts_with("node/end/")) ended.insert(each.substr(9));
            if (each.starts_with("return/")) CHECK_FALSE(ended.contains(each.substr(7, 20)));
        }
    }
}

// The ids, page by page to the end, going on behind a page or behind any of its events.
std::vector<std::string> read_back(
    world& on, const event_filter& event_filter, event_log::reverse_read where, prng& random) {
    std::vector<std::string> responses;
    for (bool more = true; more;) {
        const auto page =
            run_sync(on.events.read_back(event_filter, where, 1 + random.below(5))).value();
        auto items = page.items.size();
        if (items > 0 && random.chance(300)) items = 1 + random.below(items);
        for (std::size_t at = 0; at < items; ++at) responses.push_back(page.items[at].event.id);
        const bool whole = items == page.items.size();
        where.before = whole ? page.next : page.items[items - 1].at;
        more = page.more || !whole;
    }
    return responses;
}

// Random events and tasks, some of which have not ended, against all of them sorted.
TEST_CASE("whoever reads back sees everything once, of each kind the last written first") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        world on;
        prng random(seed);
        std::vector<std::string> events;
        std::vector<std::string> returns;
        event_position middle;
        for (int step = 0; step < 40; ++step) {
            if (random.chance(500)) {
                const auto event = node_event("n" + std::to_string(step));
                on.write({event});
                events.push_back(event.id);
            } else {
                const job_id job(1'700'000'000'000'000 + step);
                const bool ends = random.chance(600);
                on.end_task(job, 7, ends ? task_state::completed : task_state::picked_up);
                if (ends) returns.push_back(return_event({.job = job, .system = 7}).id);
            }
            if (step == 20) middle = run_sync(on.events.end()).value();
        }
        const auto end = run_sync(on.events.end()).value();

        const auto all = read_back(on, filter_of("*").value(), {.before = end}, random);
        on.write({node_event("later")});
        const auto again = read_back(on, filter_of("*").value(), {.before = end}, random);
        const auto young =
            read_back(on, filter_of("*").value(), {.before = end, .oldest = middle}, random);

        std::vector<std::string> back_events;
        std::vector<std::string> back_returns;
        for (const auto& each : all)
            (each.starts_with("return/") ? back_returns : back_events).push_back(each);
        std::ranges::reverse(events);
        std::ranges::reverse(returns);
        CHECK(back_events == events);
        CHECK(back_returns == returns);
        CHECK(again == all);
        std::set<std::string> forward;
        for (const auto& item : on.read("*", middle).items) forward.insert(item.event.id);
        forward.erase("node/later");
        CHECK(std::set<std::string>(young.begin(), young.end()) == forward);
    }
}

TEST_CASE("read back, events and returns come among each other by their times") {
    world on;
    const auto early = on.clock.wall() - 1h;
    on.write({node_event("old", early.time_since_epoch().count())});
    on.end_task(job_id(1'700'000'000'000'000), 7);
    const auto late = on.clock.wall() + 1h;
    on.write({node_event("new", late.time_since_epoch().count())});
    const auto end = run_sync(on.events.end()).value();

    const auto page =
        run_sync(on.events.read_back(filter_of("*").value(), {.before = end}, 10)).value();

    REQUIRE(page.items.size() == 3);
    CHECK(page.items[0].event.id == "node/new");
    CHECK(page.items[1].event.id.starts_with("return/"));
    CHECK(page.items[2].event.id == "node/old");
    CHECK_FALSE(page.more);
    CHECK_FALSE(
        run_sync(on.events.read_back(filter_of("").value(), {.before = {.events = 1'000}}, 10))
            .has_value());
}

TEST_CASE("a job that is made and changed tells each of its versions once, also in a race") {
    world on;
    const auto created =
        run_sync(on.jobs.create(
                     {.job = {}, .spec = {.function = "test.ping", .actor = "admin"}},
                     {.systems = {system_number(1)}, .canaries = {}}))
            .value();
    // Somebody else pauses it between our reading and our writing.
    bool raced = false;
    const auto cancelled =
        run_sync(on.jobs.change(created.job, [&](job_record job) -> result<job_record> {
            if (!std::exchange(raced, true))
                REQUIRE(run_sync(
                    on.jobs.change(created.job, [](job_record other) -> result<job_record> {
                        other.stage = job_stage::paused;
                        other.reason = "paused by eve";
                        return other;
                    })));
            job.stage = job_stage::cancelling;
            return job;
        })).value();
    CHECK(cancelled.version == 3);
    jobs::task_counts counts;
    counts[task_state::cancelled] = 1;
    REQUIRE(run_sync(on.jobs.change(
        created.job,
        [](job_record job) -> result<job_record> {
            job.stage = job_stage::cancelled;
            return job;
        },
        counts)));

    const auto page = on.read("job.*");
    std::vector<std::string> kinds;
    for (const auto& item : page.items) kinds.push_back(item.event.kind);
    CHECK(
        kinds
        == std::vector<std::string>{"job.made", "job.paused", "job.cancelling", "job.cancelled"});
    CHECK(page.items.front().event.actor == "admin");
    const std::string told =
        R"("counts":{"queued":0,"picked_up":0,"completed":0,"failed":0,"cancelled":1,"expired":0})";
    CHECK(page.items.back().event.data.contains(told));
}

TEST_CASE("the writer brings on record what is posted, and counts what finds it full") {
    world on;
    event_writer writer(on.events, on.log);
    for (std::size_t n = 0; n < event_writer::queue_max + 3; ++n)
        writer.post(node_event("n" + std::to_string(n)));
    CHECK(writer.dropped() == 3);

    REQUIRE(run_sync(writer.flush()).has_value());
    CHECK(run_sync(on.events.end()).value().events >= 10'000);
    CHECK(on.read("", {}, 10'000).items.size() == event_writer::queue_max);
}

TEST_CASE("an event that the ledger cannot take keeps none of the others off the record") {
    world on;
    event_writer writer(on.events, on.log);
    for (int n = 0; n < 20; ++n) writer.post(node_event("n" + std::to_string(n)));
    auto wrong = node_event("wrong");
    wrong.data = std::string("no text: \xff");
    writer.post(wrong);
    writer.post(node_event("n7"));  // told twice in one breath
    for (int n = 20; n < 40; ++n) writer.post(node_event("n" + std::to_string(n)));

    REQUIRE(run_sync(writer.flush()).has_value());

    CHECK(on.read("").items.size() == 40);
    CHECK(writer.dropped() == 1);
}

}  // namespace
}  // namespace muster::events
