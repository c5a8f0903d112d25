#include "adapters/ledger/postgres/partitions.h"

#include "core/table/partition.h"

#include <algorithm>
#include <charconv>

namespace muster::ledger_postgres {
namespace {

constexpr std::size_t stamp_digits = 10;  // YYYYMMDDHH

std::string pad(std::int64_t number, std::size_t digits) {
    auto text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

struct hour_of_day {
    std::chrono::year_month_day day;
    std::int64_t hour;
};

hour_of_day split_hour(wall_time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    return {
        .day = std::chrono::year_month_day(day),
        .hour = std::chrono::floor<std::chrono::hours>(time - day).count()};
}

std::string year(const hour_of_day& time) {
    return pad(static_cast<int>(time.day.year()), 4);
}

std::string month(const hour_of_day& time) {
    return pad(static_cast<unsigned>(time.day.month()), 2);
}

std::string day(const hour_of_day& time) {
    return pad(static_cast<unsigned>(time.day.day()), 2);
}

std::string time_literal(wall_time time) {
    const auto hour = split_hour(time);
    return "'" + year(hour) + "-" + month(hour) + "-" + day(hour) + " " + pad(hour.hour, 2)
           + ":00:00+00'";
}

// A span of several days may begin before the smallest valid time.
wall_time clamp_start(wall_time start) {
    return std::max(start, table::value_limits::time_min);
}

std::optional<int> read_number(std::string_view digits, std::size_t offset, std::size_t count) {
    int number = 0;
    const char* end = digits.data() + offset + count;
    const auto parsed = std::from_chars(digits.data() + offset, end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return number;
}

// A short lock timeout: writers queue behind this statement while it waits for a reader. The
// removal itself has no time limit, because it blocks nobody.
result<void> drop_partition(connection& connection, const std::string& name, instant deadline) {
    CHECK_OK(connection.run(
        "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '500ms'", deadline));
    auto done = connection.run("DROP TABLE IF EXISTS " + ledger_sql::identifier(name), deadline);
    if (done) done = connection.run("COMMIT", deadline);
    if (!done && !connection.broken())
        ignore_error(connection.run("ROLLBACK", deadline), "a broken connection is not reused");
    return done;
}

}  // namespace

std::string partition_name(const table::definition& parent, wall_time start) {
    const auto stamp = split_hour(clamp_start(start));
    return parent.name + "_p" + year(stamp) + month(stamp) + day(stamp) + pad(stamp.hour, 2);
}

std::optional<wall_time> parse_partition_start(
    const table::definition& parent, std::string_view name) {
    const std::string prefix = parent.name + "_p";
    if (!name.starts_with(prefix) || name.size() != prefix.size() + stamp_digits)
        return std::nullopt;
    const auto stamp = name.substr(prefix.size());
    const auto years = read_number(stamp, 0, 4);
    const auto months = read_number(stamp, 4, 2);
    const auto days = read_number(stamp, 6, 2);
    const auto hours = read_number(stamp, 8, 2);
    if (!years || !months || !days || !hours) return std::nullopt;
    const std::chrono::year_month_day date(
        std::chrono::year(*years),
        std::chrono::month(static_cast<unsigned>(*months)),
        std::chrono::day(static_cast<unsigned>(*days)));
    if (!date.ok()) return std::nullopt;
    return wall_time(std::chrono::sys_days(date)) + std::chrono::hours(*hours);
}

result<void> create_partition(
    connection& connection, const table::definition& parent, wall_time start, instant deadline) {
    const std::string text = "CREATE TABLE IF NOT EXISTS "
                             + ledger_sql::identifier(partition_name(parent, start))
                             + " PARTITION OF " + ledger_sql::identifier(parent.name)
                             + " FOR VALUES FROM (" + time_literal(clamp_start(start)) + ") TO ("
                             + time_literal(start + parent.partition->span) + ")";
    auto created = connection.run(text, deadline);
    // IF NOT EXISTS does not see a table that another session creates at the same moment.
    if (!created && created.error().code() == errc::conflict) return {};
    return created;
}

result<void> drop_partitions_before(
    connection& connection, const table::definition& parent, wall_time before, instant deadline) {
    const ledger_sql::statement query{
        .text =
            "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "WHERE i.inhparent = $1::text::regclass",
        .parameters = {ledger_sql::identifier(parent.name)}};
    TRY(const query_result query_result, connection.execute(query, deadline));
    for (int row = 0; row < query_result.rows(); ++row) {
        const std::string name(query_result.cell(row, 0));
        const auto parsed_start = parse_partition_start(parent, name);
        if (!parsed_start) continue;
        const auto start = table::partition_start(*parent.partition, *parsed_start);
        if (start + parent.partition->span > before) continue;
        CHECK_OK(drop_partition(connection, name, deadline));
    }
    return {};
}

}  // namespace muster::ledger_postgres
