#include "adapters/ledger/postgres/partitions.h"

#include "core/table/partition.h"

#include <algorithm>
#include <charconv>

namespace muster::ledger_postgres {
namespace {

constexpr std::size_t stamp_digits = 10;  // YYYYMMDDHH

std::string padded(std::int64_t number, std::size_t digits) {
    auto text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

struct hour_of_day {
    std::chrono::year_month_day day;
    std::int64_t hour;
};

hour_of_day split(wall_time clock) {
    const auto day = std::chrono::floor<std::chrono::days>(clock);
    return {
        .day = std::chrono::year_month_day(day),
        .hour = std::chrono::floor<std::chrono::hours>(clock - day).count()};
}

std::string year(const hour_of_day& at) {
    return padded(static_cast<int>(at.day.year()), 4);
}

std::string month(const hour_of_day& at) {
    return padded(static_cast<unsigned>(at.day.month()), 2);
}

std::string day(const hour_of_day& at) {
    return padded(static_cast<unsigned>(at.day.day()), 2);
}

std::string literal(wall_time clock) {
    const auto at = split(clock);
    return "'" + year(at) + "-" + month(at) + "-" + day(at) + " " + padded(at.hour, 2)
           + ":00:00+00'";
}

// Spans of several days may begin before the first time there is.
wall_time clamped(wall_time start) {
    return std::max(start, table::value_limits::time_min);
}

std::optional<int> number_at(std::string_view digits, std::size_t at, std::size_t count) {
    int number = 0;
    const char* end = digits.data() + at + count;
    const auto parsed = std::from_chars(digits.data() + at, end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return number;
}

// Whoever writes to the table waits behind us for as long as we wait for somebody who reads it:
// then rather not now. Removing much takes its time, which nobody has to wait for.
result<void> drop_alone(connection& on, const std::string& name, instant deadline) {
    CHECK_OK(on.run(
        "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '500ms'", deadline));
    auto done = on.run("DROP TABLE IF EXISTS " + ledger_sql::identifier(name), deadline);
    if (done) done = on.run("COMMIT", deadline);
    if (!done && !on.broken())
        ignore_error(on.run("ROLLBACK", deadline), "a broken connection is not used again");
    return done;
}

}  // namespace

std::string partition_name(const table::definition& parent, wall_time start) {
    const auto at = split(clamped(start));
    return parent.name + "_p" + year(at) + month(at) + day(at) + padded(at.hour, 2);
}

std::optional<wall_time> start_of_partition(
    const table::definition& parent, std::string_view name) {
    const std::string prefix = parent.name + "_p";
    if (!name.starts_with(prefix) || name.size() != prefix.size() + stamp_digits)
        return std::nullopt;
    const auto stamp = name.substr(prefix.size());
    const auto years = number_at(stamp, 0, 4);
    const auto months = number_at(stamp, 4, 2);
    const auto days = number_at(stamp, 6, 2);
    const auto hours = number_at(stamp, 8, 2);
    if (!years || !months || !days || !hours) return std::nullopt;
    const std::chrono::year_month_day date(
        std::chrono::year(*years),
        std::chrono::month(static_cast<unsigned>(*months)),
        std::chrono::day(static_cast<unsigned>(*days)));
    if (!date.ok()) return std::nullopt;
    return wall_time(std::chrono::sys_days(date)) + std::chrono::hours(*hours);
}

result<void> make_partition(
    connection& on, const table::definition& parent, wall_time start, instant deadline) {
    const std::string text =
        "CREATE TABLE IF NOT EXISTS " + ledger_sql::identifier(partition_name(parent, start))
        + " PARTITION OF " + ledger_sql::identifier(parent.name) + " FOR VALUES FROM ("
        + literal(clamped(start)) + ") TO (" + literal(start + parent.partition->span) + ")";
    auto result = on.run(text, deadline);
    // IF NOT EXISTS does not see what another session is making at this moment.
    if (!result && result.error().code() == errc::conflict) return {};
    return result;
}

result<void> drop_partitions(
    connection& on, const table::definition& parent, wall_time before, instant deadline) {
    const ledger_sql::statement list{
        .text =
            "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "WHERE i.inhparent = $1::text::regclass",
        .parameters = {ledger_sql::identifier(parent.name)}};
    TRY(const answer answer, on.execute(list, deadline));
    for (int row = 0; row < answer.rows(); ++row) {
        const std::string name(answer.cell(row, 0));
        const auto named = start_of_partition(parent, name);
        if (!named) continue;
        const auto start = table::partition_start(*parent.partition, *named);
        if (start + parent.partition->span > before) continue;
        CHECK_OK(drop_alone(on, name, deadline));
    }
    return {};
}

}  // namespace muster::ledger_postgres
