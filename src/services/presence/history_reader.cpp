#include "services/presence/history_reader.h"

#include "ports/deadline.h"
#include "services/presence/history_rows.h"
#include "services/presence/presence_tables.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace muster::presence::history {
namespace {

using namespace std::chrono_literals;
using table::comparison;

constexpr auto timeout = 5s;
// A period that overlaps the requested time began at most this long before it.
constexpr auto period_reach = period_length + 1h;
constexpr std::size_t page_rows = 2'000;
constexpr std::size_t times_per_query = 500;

table::condition to_condition(std::string column, comparison comparison, table::value with) {
    return {.column = std::move(column), .compare = comparison, .values = {std::move(with)}};
}

table::query to_query(std::string_view table, std::string column, wall_time from, wall_time until) {
    return {
        .table = std::string(table),
        .where =
            {to_condition(column, comparison::greater_or_equal, from),
             to_condition(column, comparison::less, until)},
        .order = {column},
        .limit = page_rows};
}

}  // namespace

async<table::page> reader::read_page(table::query query) const {
    auto page = ledger_.read(std::move(query));
    co_return co_await within(clock_, timeout, std::move(page));
}

// Shortens the requested time when there are too many periods.
async<std::vector<report_period>> reader::read_periods(history_request* request) const {
    std::vector<report_period> periods;
    auto query =
        to_query(presence_chapters_table, "opened", request->since - period_reach, request->until);
    do {
        CO_TRY(auto page, co_await read_page(query));
        for (const auto& row : page.rows) {
            CO_TRY(const auto period, decode_period(row));
            periods.push_back(period);
        }
        query.after = std::move(page.next);
    } while (!query.after.empty() && periods.size() < limits::periods_max);
    if (query.after.empty()) co_return periods;
    request->until = periods.back().opened;
    if (request->until <= request->since)
        co_return fail(errc::unavailable, "presence history is too large to read");
    std::erase_if(
        periods, [&](const report_period& chapter) { return chapter.opened >= request->until; });
    co_return periods;
}

// Whether the system was attached at the start of periods that continue no other one.
async<void> reader::read_initial_states(reading* reading) const {
    std::map<std::pair<wall_time, node_number>, const ordered_period*> ordered_periods;
    for (const auto& period : reading->periods)
        if (period.starts) ordered_periods[{period.period.opened, period.period.node}] = &period;
    std::vector<table::value> times;
    for (const auto& [key, period] : ordered_periods)
        if (times.empty() || times.back() != table::value(key.first)) times.emplace_back(key.first);
    for (std::size_t offset = 0; offset < times.size(); offset += times_per_query) {
        const auto count = std::min(times_per_query, times.size() - offset);
        const auto first = times.begin() + static_cast<std::ptrdiff_t>(offset);
        table::query query{
            .table = std::string(presence_sets_table),
            .where =
                {to_condition(
                     "kind", comparison::equal, static_cast<std::int64_t>(set_kind::present)),
                 {.column = "opened",
                  .compare = comparison::one_of,
                  .values = {first, first + static_cast<std::ptrdiff_t>(count)}}},
            .order = {"opened"},
            .limit = page_rows};
        do {
            CO_TRY(auto page, co_await read_page(query));
            for (const auto& row : page.rows) {
                CO_TRY(const auto set, decode_set(row));
                const auto period = ordered_periods.find({set.opened, set.node});
                if (period == ordered_periods.end()) continue;
                reading->statements.push_back(start_statement(
                    *period->second, set.systems.contains(reading->request.system)));
            }
            query.after = std::move(page.next);
        } while (!query.after.empty());
    }
    co_return result<void>();
}

// The periods in which the system may have attached or detached, oldest first.
async<std::vector<ordered_period>> reader::find_changed_periods(reading* reading) const {
    std::set<std::pair<wall_time, node_number>> unchanged;
    auto query = to_query(
        presence_sets_table,
        "opened",
        reading->request.since - period_reach,
        reading->request.until);
    query.where.push_back(
        to_condition("kind", comparison::equal, static_cast<std::int64_t>(set_kind::changed)));
    do {
        CO_TRY(auto page, co_await read_page(query));
        for (const auto& row : page.rows) {
            CO_TRY(const auto set, decode_set(row));
            if (!set.systems.contains(reading->request.system))
                unchanged.insert({set.opened, set.node});
        }
        query.after = std::move(page.next);
    } while (!query.after.empty());
    std::vector<ordered_period> changed;
    for (const auto& period : reading->periods)
        if (!unchanged.contains({period.period.opened, period.period.node}))
            changed.push_back(period);
    std::ranges::sort(changed, {}, [](const auto& period) { return period.period.opened; });
    co_return changed;
}

async<std::size_t> reader::read_changes_of(reading* reading, ordered_period period) const {
    std::size_t rows = 0;
    table::query query{
        .table = std::string(presence_changes_table),
        .where =
            {to_condition("node", comparison::equal, period.period.node.value()),
             to_condition("at", comparison::greater, period.period.opened),
             to_condition("at", comparison::less_or_equal, period.period.until)},
        .order = {"at"},
        .limit = page_rows};
    do {
        CO_TRY(auto page, co_await read_page(query));
        for (const auto& row : page.rows) {
            CO_TRY(const auto change, decode_change(row));
            if (change.systems.contains(reading->request.system))
                reading->statements.push_back(
                    to_statement(change, reading->request.system, period.period.opened));
        }
        rows += page.rows.size();
        query.after = std::move(page.next);
    } while (!query.after.empty());
    co_return rows;
}

async<void> reader::read_changes(reading* reading) const {
    CO_TRY(const auto periods, co_await find_changed_periods(reading));
    std::size_t rows = 0;
    for (const auto& period : periods) {
        // Always returns a part of the requested time, so that repeated requests come to an end.
        if (rows > limits::changes_max && period.period.opened > reading->request.since) {
            reading->request.until = period.period.opened;
            break;
        }
        CO_TRY(const auto period_rows, co_await read_changes_of(reading, period));
        rows += period_rows;
    }
    co_return result<void>();
}

async<void> reader::read_marks(reading* reading) const {
    auto query = to_query(
        presence_marks_table, "at", reading->request.since - period_reach, reading->request.until);
    do {
        CO_TRY(auto page, co_await read_page(query));
        for (const auto& row : page.rows) {
            CO_TRY(const auto mark, decode_mark(row));
            reading->statements.push_back(to_statement(mark));
        }
        query.after = std::move(page.next);
    } while (!query.after.empty());
    co_return result<void>();
}

async<reader::history_page> reader::read(history_request request) const {
    reading reading{.request = request, .periods = {}, .statements = {}};
    CO_TRY(auto periods, co_await read_periods(&reading.request));
    reading.periods = order_periods(
        periods_since(std::move(periods), reading.request.since),
        std::max(clock_.wall(), reading.request.until));
    CO_CHECK_OK(co_await read_initial_states(&reading));
    CO_CHECK_OK(co_await read_changes(&reading));
    CO_CHECK_OK(co_await read_marks(&reading));
    for (const auto& period : reading.periods)
        if (const auto end = end_statement(period)) reading.statements.push_back(*end);
    std::ranges::sort(reading.statements);
    presence_timeline timeline(reading.request.since);
    for (const auto& statement : reading.statements)
        if (statement.at < reading.request.until) timeline.add(statement);
    co_return history_page{
        .segments = timeline.finish(reading.request.until), .until = reading.request.until};
}

}  // namespace muster::presence::history
