#include "services/compatibility/numeric_id_store.h"

#include "core/table/row_reader.h"
#include "services/cluster/keys.h"
#include "services/cluster/number_range.h"
#include "services/compatibility/action_tables.h"

#include <algorithm>
#include <utility>

namespace muster::compatibility {
namespace {

constexpr std::size_t batch_size = table::query_limits::list_max;

table::condition equal(std::string column, table::value value) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(value)}};
}

table::row encode(const std::string& kind, const numeric_id& id) {
    return {kind, id.name, id.number, id.mark};
}

result<numeric_id> decode(const table::row& row) {
    table::row_reader reader(numbers_table, row);
    static_cast<void>(reader.take<std::string>("kind"));
    numeric_id id;
    id.name = reader.take<std::string>("name");
    id.number = reader.take_from("number", 1, numeric_id_store::number_max);
    id.mark = reader.take<std::int64_t>("mark");
    CHECK_OK(reader.finish());
    return id;
}

table::write to_write(const std::string& kind, const std::vector<numeric_id>& ids) {
    table::write write{
        .table = std::string(numbers_table),
        .rows = {},
        .existing = table::replace_if_grows{"mark"}};
    for (const auto& id : ids) write.rows.push_back(encode(kind, id));
    return write;
}

}  // namespace

async<std::map<std::string, numeric_id>> numeric_id_store::read(
    std::string kind, std::vector<std::string> names) {
    std::map<std::string, numeric_id> ids;
    for (std::size_t offset = 0; offset < names.size(); offset += batch_size) {
        table::condition names_condition{.column = "name", .compare = table::comparison::one_of};
        for (std::size_t n = offset; n < std::min(names.size(), offset + batch_size); ++n)
            names_condition.values.emplace_back(names[n]);
        table::query query{
            .table = std::string(numbers_table),
            .where = {equal("kind", kind), std::move(names_condition)},
            .limit = batch_size};
        CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
        for (const auto& row : page.rows) {
            CO_TRY(auto id, decode(row));
            ids.emplace(id.name, std::move(id));
        }
    }
    co_return ids;
}

async<std::int64_t> numeric_id_store::find_largest(std::string kind) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(numbers_table),
             .where = {equal("kind", std::move(kind))},
             .order = {"number"},
             .going = table::direction::descending,
             .limit = 1}));
    if (page.rows.empty()) co_return std::int64_t{0};
    CO_TRY(const auto last, decode(page.rows.front()));
    co_return last.number;
}

// Starts above the numbers in the ledger, because the metastore may have been restored from an
// older backup.
async<void> numeric_id_store::reserve(std::string kind, std::size_t count) {
    cluster::number_request request{
        .key = cluster::keys::under(cluster::keys::last_numbers, kind), .subject = kind + "s"};
    request.count = std::max(static_cast<std::int64_t>(count), range_);
    request.number_max = number_max;
    CO_TRY(request.above, co_await find_largest(kind));
    const auto count_reserved = request.count;
    CO_TRY(const auto first, co_await reserve_numbers(metastore_, std::move(request)));
    const std::lock_guard lock(mutex_);
    auto& available = reserved_[kind];
    for (auto number = first; number < first + count_reserved; ++number)
        available.push_back(number);
    co_return result<void>();
}

async<std::vector<std::int64_t>> numeric_id_store::allocate(std::string kind, std::size_t count) {
    while (true) {
        {
            const std::lock_guard lock(mutex_);
            auto& available = reserved_[kind];
            if (available.size() >= count) {
                const auto end = available.begin() + static_cast<std::ptrdiff_t>(count);
                std::vector<std::int64_t> numbers(available.begin(), end);
                available.erase(available.begin(), end);
                co_return numbers;
            }
        }
        CO_CHECK_OK(co_await reserve(kind, count));
    }
}

async<std::vector<numeric_id>> numeric_id_store::number_all(
    std::string kind, std::vector<std::string> names) {
    CO_TRY(auto existing, co_await read(kind, names));
    std::vector<std::string> missing;
    for (const auto& name : names)
        if (!existing.contains(name)) missing.push_back(name);
    if (!missing.empty()) {
        // Older names sort first, so they get smaller numbers.
        std::ranges::sort(missing);
        CO_TRY(const auto fresh, co_await allocate(kind, missing.size()));
        std::vector<numeric_id> numeric_ids;
        for (std::size_t index = 0; index < missing.size(); ++index)
            numeric_ids.push_back({.name = missing[index], .number = fresh[index], .mark = 0});
        CO_CHECK_OK(co_await set_names(kind, std::move(numeric_ids)));
        // Another server may have been faster: the stored numbers count.
        CO_TRY(auto stored, co_await read(kind, std::move(missing)));
        existing.merge(stored);
    }
    std::vector<numeric_id> ids;
    for (const auto& name : names) {
        const auto it = existing.find(name);
        if (it == existing.end())
            co_return fail(errc::unavailable, "number of \"" + name + "\" not found; retry");
        ids.push_back(it->second);
    }
    co_return ids;
}

async<numeric_id> numeric_id_store::number(std::string kind, std::string name) {
    std::vector<std::string> names{std::move(name)};
    CO_TRY(auto ids, co_await number_all(std::move(kind), std::move(names)));
    co_return std::move(ids.front());
}

async<numeric_id> numeric_id_store::find(std::string kind, std::int64_t number) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(numbers_table),
             .where = {equal("kind", kind), equal("number", number)},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(errc::not_found, kind + " \"" + std::to_string(number) + "\" not found");
    co_return decode(page.rows.front());
}

async<void> numeric_id_store::set_names(std::string kind, std::vector<numeric_id> ids) {
    for (std::size_t offset = 0; offset < ids.size(); offset += batch_size) {
        const auto end = std::min(ids.size(), offset + batch_size);
        table::batch change;
        change.writes.push_back(to_write(
            kind,
            {ids.begin() + static_cast<std::ptrdiff_t>(offset),
             ids.begin() + static_cast<std::ptrdiff_t>(end)}));
        CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    }
    co_return result<void>();
}

async<void> numeric_id_store::set_marks(std::string kind, std::vector<numeric_id> ids) {
    return set_names(std::move(kind), std::move(ids));
}

async<void> erase_numbers_before(muster::ledger& ledger, std::string kind, std::string name) {
    while (true) {
        table::query query{
            .table = std::string(numbers_table),
            .where =
                {equal("kind", kind),
                 {.column = "name", .compare = table::comparison::less, .values = {name}}},
            .order = {"kind", "name"},
            .limit = batch_size};
        CO_TRY(const auto page, co_await ledger.read(std::move(query)));
        if (page.rows.empty()) co_return result<void>();
        table::erasure erasure{.table = std::string(numbers_table), .keys = {}};
        for (const auto& row : page.rows) erasure.keys.push_back({row[0], row[1]});
        table::batch change;
        change.erasures.push_back(std::move(erasure));
        CO_CHECK_OK(co_await ledger.write(std::move(change)));
    }
}

}  // namespace muster::compatibility
