#include "services/events/event_log.h"

#include "base/hex.h"
#include "base/iso_time.h"
#include "core/events/event_kind.h"
#include "core/events/event_row.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/task_row.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::events {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

// A reader of both waits for changes of tasks. It reads events after this time at the latest.
constexpr auto events_wait_max = 300ms;
constexpr auto known_wait = 1'000ms;

table::condition equal(std::string column, table::value value) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(value)}};
}

table::query query_after(std::string_view table, std::int64_t sequence, std::size_t limit) {
    return {
        .table = std::string(table),
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = limit};
}

// The newest rows up to `last`, after `oldest`.
table::query query_before(
    std::string_view table, std::int64_t last, std::int64_t oldest, std::size_t limit) {
    auto query = query_after(table, oldest, limit);
    query.where.push_back(
        {.column = std::string(table::sequence_column),
         .compare = table::comparison::less_or_equal,
         .values = {last}});
    query.going = table::direction::descending;
    return query;
}

void narrow_to_kinds(table::query& query, const event_filter& filter) {
    if (filter.wants_all_kinds()) return;
    table::condition kinds{.column = "kind", .compare = table::comparison::one_of, .values = {}};
    for (const auto& kind : filter.kinds) kinds.values.emplace_back(kind);
    query.where.push_back(std::move(kinds));
}

void narrow(table::query& query, const event_filter& filter) {
    if (filter.job) query.where.push_back(equal("job", created_at(*filter.job)));
    if (filter.system) query.where.push_back(equal("system", *filter.system));
}

// When a row of either table was written, by its writer's clock.
result<std::pair<std::int64_t, wall_time>> write_time_of(
    std::string_view table, const table::row& row) {
    if (table == events_table) {
        TRY(const auto decoded, decode_event(row));
        return std::pair(decoded.sequence, decoded.record.at);
    }
    TRY(const auto decoded, jobs::decode_task(row));
    const auto time = decoded.record.ended ? decoded.record.ended : decoded.record.picked_up;
    return std::pair(decoded.sequence, time.value_or(created_at(decoded.record.job)));
}

}  // namespace

event_record return_event(const task_record& task) {
    const auto state = to_string(task.state);
    json::object data{
        {"state", json::string_view(state.data(), state.size())},
        {"exit_code", task.exit_code},
        {"attempt", task.attempt},
        {"reason", task.reason},
        {"payload_size", task.payload_size},
        {"truncated", task.truncated}};
    if (!task.digest.empty()) data["digest"] = to_hex(task.digest);
    if (task.picked_up) data["picked_up"] = iso_time(*task.picked_up);
    return {
        .anchor = created_at(task.job),
        .id = "return/" + to_string(task.job) + "/" + std::to_string(task.system) + "/"
              + std::to_string(task.attempt),
        .kind = std::string(kind::task_return),
        .at = task.ended.value_or(task.picked_up.value_or(created_at(task.job))),
        .zone = {},
        .job = task.job,
        .system = task.system,
        .node = task.node,
        .actor = {},
        .data = json::serialize(data)};
}

async<void> event_log::write(std::vector<event_record> events) {
    table::batch batch;
    table::write rows{.table = std::string(events_table), .rows = {}};
    for (const auto& event : events) rows.rows.push_back(encode_event(event));
    batch.writes.push_back(std::move(rows));
    const auto outcome = co_await ledger_.write(std::move(batch));
    if (!outcome) co_return fail(outcome.error());
    co_return result<void>();
}

// Reads the last sequence of a table. The engine may return an outdated value. If the caller knows
// a later sequence, waits until the engine returns it, or until it is certain not to exist.
async<std::int64_t> event_log::read_last(std::string table, std::int64_t known) {
    const auto timeout = known > 0 ? known_wait : 0ms;
    const table::sequence before(std::max(std::int64_t{0}, known - 1));
    CO_TRY(const auto last, co_await ledger_.wait_for_change(std::move(table), before, timeout));
    co_return last.value();
}

async<event_position> event_log::read_end(event_position known) {
    event_position last;
    CO_TRY(last.events, co_await read_last(std::string(events_table), known.events));
    CO_TRY(last.tasks, co_await read_last(std::string(jobs::tasks_table), known.tasks));
    co_return last;
}

async<event_position> event_log::end() {
    co_return co_await read_end({});
}

async<event_position> event_log::check_end(event_position position) {
    CO_TRY(const auto last, co_await read_end(position));
    if (position.events > last.events || position.tasks > last.tasks)
        co_return fail(
            errc::invalid,
            "cursor is ahead of all events: the cursor is from another cluster, or the ledger was "
            "restored from a backup; start again without a cursor");
    co_return last;
}

async<void> event_log::check(event_position position) {
    CO_CHECK_OK(co_await check_end(position));
    co_return result<void>();
}

async<event_log::part> event_log::read_events(
    event_filter filter, event_position after, std::size_t limit) {
    auto query = query_after(events_table, after.events, limit);
    narrow(query, filter);
    narrow_to_kinds(query, filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    part found{.items = {}, .next = after.events, .more = !page.next.empty()};
    for (const auto& stored : page.rows) {
        CO_TRY(auto row, decode_event(stored));
        found.next = row.sequence;
        found.items.push_back({.event = std::move(row.record), .at = {.events = row.sequence}});
    }
    co_return found;
}

// Skips open tasks here rather than in the query. They are few, and without statistics a condition
// on the state makes PostgreSQL read the whole partition for each page.
async<event_log::part> event_log::read_returns(
    event_filter filter, event_position after, std::size_t limit) {
    auto query = query_after(jobs::tasks_table, after.tasks, limit);
    narrow(query, filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    part found{.items = {}, .next = after.tasks, .more = !page.next.empty()};
    for (const auto& stored : page.rows) {
        CO_TRY(const auto row, jobs::decode_task(stored));
        found.next = row.sequence;
        if (!is_final(row.record.state)) continue;
        found.items.push_back({.event = return_event(row.record), .at = {.tasks = row.sequence}});
    }
    co_return found;
}

// Reads the end first: later writes come after it. Reads events before returns, but returns them
// after, so that a job's end follows its returns. If the returns fill the page, events come in a
// later page.
async<event_log::page> event_log::read(
    event_filter filter, event_position after, std::size_t limit) {
    CO_TRY(const auto last, co_await check_end(after));
    part events;
    part returns;
    if (filter.wants_events()) {
        CO_TRY(events, co_await read_events(filter, after, limit));
    }
    if (filter.returns) {
        CO_TRY(returns, co_await read_returns(filter, after, limit));
    }
    page page{.items = std::move(returns.items), .next = after, .more = returns.more};
    page.next.tasks = returns.more ? returns.next : std::max(returns.next, last.tasks);
    for (auto& item : page.items) item.at.events = after.events;
    if (returns.more) co_return page;
    for (auto& item : events.items) {
        if (page.items.size() == limit) {
            page.more = true;
            co_return page;
        }
        item.at.tasks = page.next.tasks;
        page.next.events = item.at.events;
        page.items.push_back(std::move(item));
    }
    page.more = events.more;
    if (!events.more) page.next.events = std::max(events.next, last.events);
    co_return page;
}

async<event_log::part> event_log::read_events_back(
    event_filter filter, reverse_read range, std::size_t limit) {
    auto query = query_before(events_table, range.before.events, range.oldest.events, limit);
    narrow(query, filter);
    narrow_to_kinds(query, filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    part found{.items = {}, .next = range.oldest.events, .more = !page.next.empty()};
    for (const auto& stored : page.rows) {
        CO_TRY(auto row, decode_event(stored));
        if (found.more) found.next = row.sequence - 1;
        found.items.push_back({.event = std::move(row.record), .at = {.events = row.sequence}});
    }
    co_return found;
}

async<event_log::part> event_log::read_returns_back(
    event_filter filter, reverse_read range, std::size_t limit) {
    auto query = query_before(jobs::tasks_table, range.before.tasks, range.oldest.tasks, limit);
    narrow(query, filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    part found{.items = {}, .next = range.oldest.tasks, .more = !page.next.empty()};
    for (const auto& stored : page.rows) {
        CO_TRY(const auto row, jobs::decode_task(stored));
        if (found.more) found.next = row.sequence - 1;
        if (!is_final(row.record.state)) continue;
        found.items.push_back({.event = return_event(row.record), .at = {.tasks = row.sequence}});
    }
    co_return found;
}

// Ends the page when one list is used up but has more in the ledger: its next item may be newer
// than the items of the other list.
event_log::page event_log::merge_back(
    part events, part returns, event_position before, std::size_t limit) {
    page page{.items = {}, .next = before, .more = false};
    auto event = events.items.begin();
    auto task = returns.items.begin();
    while (page.items.size() < limit) {
        const bool no_event = event == events.items.end();
        const bool no_task = task == returns.items.end();
        if ((no_event && no_task) || (no_event && events.more) || (no_task && returns.more)) break;
        // read() puts a return before an event of the same time, so it comes after it here.
        if (no_event || (!no_task && task->event.at > event->event.at)) {
            page.next.tasks = task->at.tasks - 1;
            page.items.push_back(std::move(*task++));
        } else {
            page.next.events = event->at.events - 1;
            page.items.push_back(std::move(*event++));
        }
        page.items.back().at = page.next;
    }
    const bool no_events_left = event == events.items.end();
    const bool no_returns_left = task == returns.items.end();
    if (no_events_left) page.next.events = events.next;
    if (no_returns_left) page.next.tasks = returns.next;
    page.more = !no_events_left || !no_returns_left || events.more || returns.more;
    return page;
}

async<event_log::page> event_log::read_back(
    event_filter filter, reverse_read range, std::size_t limit) {
    CO_CHECK_OK(co_await check_end(range.before));
    part events{.items = {}, .next = range.before.events, .more = false};
    part returns{.items = {}, .next = range.before.tasks, .more = false};
    if (filter.wants_events()) {
        CO_TRY(events, co_await read_events_back(filter, range, limit));
    }
    if (filter.returns) {
        CO_TRY(returns, co_await read_returns_back(filter, range, limit));
    }
    co_return merge_back(std::move(events), std::move(returns), range.before, limit);
}

// Rows are roughly ordered by time, so a binary search finds the position.
async<std::int64_t> event_log::find_sequence(std::string table, wall_time time, std::int64_t last) {
    std::int64_t before = 0;  // rows up to here are older
    while (before < last) {
        const auto middle = before + (last - before) / 2;
        CO_TRY(const auto page, co_await ledger_.read(query_after(table, middle, 1)));
        if (page.rows.empty()) {
            last = middle;
            continue;
        }
        CO_TRY(const auto written, write_time_of(table, page.rows.front()));
        if (written.first > last || written.second >= time) {
            last = middle;
        } else {
            before = written.first;
        }
    }
    co_return before;
}

async<event_position> event_log::position_at(wall_time time) {
    CO_TRY(auto position, co_await end());
    CO_TRY(
        position.events, co_await find_sequence(std::string(events_table), time, position.events));
    CO_TRY(
        position.tasks,
        co_await find_sequence(std::string(jobs::tasks_table), time, position.tasks));
    co_return position;
}

async<void> event_log::wait(
    event_filter filter, event_position after, std::chrono::milliseconds timeout) {
    const auto table = filter.returns ? jobs::tasks_table : events_table;
    const auto from = filter.returns ? after.tasks : after.events;
    if (filter.returns && filter.wants_events()) timeout = std::min(timeout, events_wait_max);
    const auto changed =
        co_await ledger_.wait_for_change(std::string(table), table::sequence(from), timeout);
    if (!changed) co_return fail(changed.error());
    co_return result<void>();
}

}  // namespace muster::events
