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

// Events wait for a reader of both so long at most; returns ring at once.
constexpr auto look_for_others = 300ms;
constexpr auto timeout_for_known = 1'000ms;

table::condition equal(std::string column, table::value to) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(to)}};
}

table::query behind(std::string_view table, std::int64_t sequence, std::size_t limit) {
    return {
        .table = std::string(table),
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = limit};
}

// The newest up to `last`, behind `oldest`.
table::query ahead_of(
    std::string_view table, std::int64_t last, std::int64_t oldest, std::size_t limit) {
    auto question = behind(table, oldest, limit);
    question.where.push_back(
        {.column = std::string(table::sequence_column),
         .compare = table::comparison::less_or_equal,
         .values = {last}});
    question.going = table::direction::descending;
    return question;
}

void narrow_to_kinds(table::query& question, const event_filter& event_filter) {
    if (event_filter.wants_all_kinds()) return;
    table::condition kinds{.column = "kind", .compare = table::comparison::one_of, .values = {}};
    for (const auto& kind : event_filter.kinds) kinds.values.emplace_back(kind);
    question.where.push_back(std::move(kinds));
}

void narrow(table::query& question, const event_filter& event_filter) {
    if (event_filter.job) question.where.push_back(equal("job", made_at(*event_filter.job)));
    if (event_filter.system) question.where.push_back(equal("system", *event_filter.system));
}

// When a row of either table was written, by its writer's clock.
result<std::pair<std::int64_t, wall_time>> moment_of(
    std::string_view table, const table::row& row) {
    if (table == events_table) {
        TRY(const auto read, decode_event(row));
        return std::pair(read.sequence, read.record.at);
    }
    TRY(const auto read, jobs::decode_task(row));
    const auto when = read.record.ended ? read.record.ended : read.record.picked_up;
    return std::pair(read.sequence, when.value_or(made_at(read.record.job)));
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
        .anchor = made_at(task.job),
        .id = "return/" + to_string(task.job) + "/" + std::to_string(task.system) + "/"
              + std::to_string(task.attempt),
        .kind = std::string(kind::task_return),
        .at = task.ended.value_or(task.picked_up.value_or(made_at(task.job))),
        .zone = {},
        .job = task.job,
        .system = task.system,
        .node = task.node,
        .by = {},
        .data = json::serialize(data)};
}

async<void> event_log::write(std::vector<event_record> events) {
    table::batch all;
    table::write rows{.table = std::string(events_table), .rows = {}};
    for (const auto& each : events) rows.rows.push_back(encode_event(each));
    all.writes.push_back(std::move(rows));
    const auto done = co_await ledger_.write(std::move(all));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

// The last number given. What an engine tells may be a moment old, so one who knows of a later
// number waits until it is told at least that, or long enough to be sure that there is none.
async<std::int64_t> event_log::last_of(std::string table, std::int64_t existing) {
    const auto timeout = existing > 0 ? timeout_for_known : 0ms;
    const table::sequence before(std::max(std::int64_t{0}, existing - 1));
    CO_TRY(const auto last, co_await ledger_.wait_for_change(std::move(table), before, timeout));
    co_return last.value();
}

async<event_position> event_log::end_behind(event_position existing) {
    event_position last;
    CO_TRY(last.events, co_await last_of(std::string(events_table), existing.events));
    CO_TRY(last.tasks, co_await last_of(std::string(jobs::tasks_table), existing.tasks));
    co_return last;
}

async<event_position> event_log::end() {
    co_return co_await end_behind({});
}

async<event_position> event_log::checked_end(event_position event_position) {
    CO_TRY(const auto last, co_await end_behind(event_position));
    if (event_position.events > last.events || event_position.tasks > last.tasks)
        co_return fail(
            errc::invalid,
            "this cursor is ahead of all events: it belongs to another cluster, or the ledger was "
            "restored from a copy; start again without it");
    co_return last;
}

async<void> event_log::check(event_position where) {
    CO_CHECK_OK(co_await checked_end(where));
    co_return result<void>();
}

async<event_log::part> event_log::read_events(
    event_filter event_filter, event_position after, std::size_t limit) {
    auto question = behind(events_table, after.events, limit);
    narrow(question, event_filter);
    narrow_to_kinds(question, event_filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    part read{.items = {}, .next = after.events, .more = !page.next.empty()};
    for (const auto& each : page.rows) {
        CO_TRY(auto row, decode_event(each));
        read.next = row.sequence;
        read.items.push_back({.event = std::move(row.record), .at = {.events = row.sequence}});
    }
    co_return read;
}

// Tasks that have not ended are left out here and not by the query: they are few, and a condition
// on the state makes PostgreSQL read the whole partition for each page until it has statistics.
async<event_log::part> event_log::read_returns(
    event_filter event_filter, event_position after, std::size_t limit) {
    auto question = behind(jobs::tasks_table, after.tasks, limit);
    narrow(question, event_filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    part read{.items = {}, .next = after.tasks, .more = !page.next.empty()};
    for (const auto& each : page.rows) {
        CO_TRY(const auto row, jobs::decode_task(each));
        read.next = row.sequence;
        if (!is_end(row.record.state)) continue;
        read.items.push_back({.event = return_event(row.record), .at = {.tasks = row.sequence}});
    }
    co_return read;
}

// The end is looked up first: what is not found up to there was not meant, and what is written
// meanwhile is behind it. Events are read before returns and told after them, so that none of a
// job's returns comes after its end; when there are too many returns for one page, events wait.
async<event_log::page> event_log::read(
    event_filter event_filter, event_position after, std::size_t limit) {
    CO_TRY(const auto last, co_await checked_end(after));
    part events;
    part returns;
    if (event_filter.wants_events()) {
        CO_TRY(events, co_await read_events(event_filter, after, limit));
    }
    if (event_filter.returns) {
        CO_TRY(returns, co_await read_returns(event_filter, after, limit));
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
    event_filter event_filter, past where, std::size_t limit) {
    auto question = ahead_of(events_table, where.before.events, where.oldest.events, limit);
    narrow(question, event_filter);
    narrow_to_kinds(question, event_filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    part read{.items = {}, .next = where.oldest.events, .more = !page.next.empty()};
    for (const auto& each : page.rows) {
        CO_TRY(auto row, decode_event(each));
        if (read.more) read.next = row.sequence - 1;
        read.items.push_back({.event = std::move(row.record), .at = {.events = row.sequence}});
    }
    co_return read;
}

async<event_log::part> event_log::read_returns_back(
    event_filter event_filter, past where, std::size_t limit) {
    auto question = ahead_of(jobs::tasks_table, where.before.tasks, where.oldest.tasks, limit);
    narrow(question, event_filter);
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    part read{.items = {}, .next = where.oldest.tasks, .more = !page.next.empty()};
    for (const auto& each : page.rows) {
        CO_TRY(const auto row, jobs::decode_task(each));
        if (read.more) read.next = row.sequence - 1;
        if (!is_end(row.record.state)) continue;
        read.items.push_back({.event = return_event(row.record), .at = {.tasks = row.sequence}});
    }
    co_return read;
}

// When what is at hand of one is used up and there is more of it, the page ends: what comes next of
// it may be newer than what the other one has.
event_log::page event_log::merged_back(
    part events, part returns, event_position before, std::size_t limit) {
    page page{.items = {}, .next = before, .more = false};
    auto event = events.items.begin();
    auto task = returns.items.begin();
    while (page.items.size() < limit) {
        const bool no_event = event == events.items.end();
        const bool no_task = task == returns.items.end();
        if ((no_event && no_task) || (no_event && events.more) || (no_task && returns.more)) break;
        // Of the same moment a return was told before the event, so it comes after it here.
        if (no_event || (!no_task && task->event.at > event->event.at)) {
            page.next.tasks = task->at.tasks - 1;
            page.items.push_back(std::move(*task++));
        } else {
            page.next.events = event->at.events - 1;
            page.items.push_back(std::move(*event++));
        }
        page.items.back().at = page.next;
    }
    const bool events_told = event == events.items.end();
    const bool returns_told = task == returns.items.end();
    if (events_told) page.next.events = events.next;
    if (returns_told) page.next.tasks = returns.next;
    page.more = !events_told || !returns_told || events.more || returns.more;
    return page;
}

async<event_log::page> event_log::read_back(
    event_filter event_filter, past where, std::size_t limit) {
    CO_CHECK_OK(co_await checked_end(where.before));
    part events{.items = {}, .next = where.before.events, .more = false};
    part returns{.items = {}, .next = where.before.tasks, .more = false};
    if (event_filter.wants_events()) {
        CO_TRY(events, co_await read_events_back(event_filter, where, limit));
    }
    if (event_filter.returns) {
        CO_TRY(returns, co_await read_returns_back(event_filter, where, limit));
    }
    co_return merged_back(std::move(events), std::move(returns), where.before, limit);
}

// Rows are written about in the order of their times, so the place is found by halving.
async<std::int64_t> event_log::sequence_at(std::string table, wall_time when, std::int64_t last) {
    std::int64_t before = 0;  // rows up to here are older
    while (before < last) {
        const auto middle = before + (last - before) / 2;
        CO_TRY(const auto page, co_await ledger_.read(behind(table, middle, 1)));
        if (page.rows.empty()) {
            last = middle;
            continue;
        }
        CO_TRY(const auto moment, moment_of(table, page.rows.front()));
        if (moment.first > last || moment.second >= when) {
            last = middle;
        } else {
            before = moment.first;
        }
    }
    co_return before;
}

async<event_position> event_log::position_at(wall_time when) {
    CO_TRY(auto where, co_await end());
    CO_TRY(where.events, co_await sequence_at(std::string(events_table), when, where.events));
    CO_TRY(where.tasks, co_await sequence_at(std::string(jobs::tasks_table), when, where.tasks));
    co_return where;
}

async<void> event_log::wait(
    event_filter event_filter, event_position after, std::chrono::milliseconds timeout) {
    const auto table = event_filter.returns ? jobs::tasks_table : events_table;
    const auto from = event_filter.returns ? after.tasks : after.events;
    if (event_filter.returns && event_filter.wants_events())
        timeout = std::min(timeout, look_for_others);
    const auto news =
        co_await ledger_.wait_for_change(std::string(table), table::sequence(from), timeout);
    if (!news) co_return fail(news.error());
    co_return result<void>();
}

}  // namespace muster::events
