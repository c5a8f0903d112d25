#include "services/compatibility/numeric_id_store.h"

#include "core/table/row_reader.h"
#include "services/cluster/keys.h"
#include "services/cluster/number_range.h"
#include "services/compatibility/action_tables.h"

#include <algorithm>
#include <utility>

namespace muster::compatibility {
namespace {

constexpr std::size_t at_once = table::query_limits::list_max;

table::condition equal(std::string column, table::value to) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(to)}};
}

table::row encode(const std::string& kind, const numeric_id& numeric_id) {
    return {kind, numeric_id.name, numeric_id.number, numeric_id.mark};
}

result<numeric_id> decode(const table::row& cells) {
    table::row_reader in(numbers_table, cells);
    static_cast<void>(in.take<std::string>("kind"));
    numeric_id read;
    read.name = in.take<std::string>("name");
    read.number = in.take_from("number", 1, numeric_id_store::number_max);
    read.mark = in.take<std::int64_t>("mark");
    CHECK_OK(in.finish());
    return read;
}

table::write written(const std::string& kind, const std::vector<numeric_id>& things) {
    table::write write{
        .table = std::string(numbers_table),
        .rows = {},
        .existing = table::replace_if_grows{"mark"}};
    for (const auto& thing : things) write.rows.push_back(encode(kind, thing));
    return write;
}

}  // namespace

async<std::map<std::string, numeric_id>> numeric_id_store::read(
    std::string kind, std::vector<std::string> names) {
    std::map<std::string, numeric_id> all;
    for (std::size_t from = 0; from < names.size(); from += at_once) {
        table::condition among{.column = "name", .compare = table::comparison::one_of};
        for (std::size_t n = from; n < std::min(names.size(), from + at_once); ++n)
            among.values.emplace_back(names[n]);
        table::query question{
            .table = std::string(numbers_table),
            .where = {equal("kind", kind), std::move(among)},
            .limit = at_once};
        CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
        for (const auto& row : page.rows) {
            CO_TRY(auto one, decode(row));
            all.emplace(one.name, std::move(one));
        }
    }
    co_return all;
}

async<std::int64_t> numeric_id_store::largest(std::string kind) {
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

// Above what is in the ledger, too: the metastore may have been restored to an earlier day.
async<void> numeric_id_store::reserve(std::string kind, std::size_t count) {
    cluster::wanted_numbers wanted_numbers{
        .key = cluster::keys::under(cluster::keys::last_numbers, kind), .of = kind + "s"};
    wanted_numbers.count = std::max(static_cast<std::int64_t>(count), range_);
    wanted_numbers.number_max = number_max;
    CO_TRY(wanted_numbers.above, co_await largest(kind));
    const auto reserved = wanted_numbers.count;
    CO_TRY(const auto first, co_await reserve_numbers(metastore_, std::move(wanted_numbers)));
    const std::lock_guard lock(guard_);
    auto& held = held_[kind];
    for (auto each = first; each < first + reserved; ++each) held.push_back(each);
    co_return result<void>();
}

async<std::vector<std::int64_t>> numeric_id_store::take(std::string kind, std::size_t count) {
    while (true) {
        {
            const std::lock_guard lock(guard_);
            auto& held = held_[kind];
            if (held.size() >= count) {
                const auto end = held.begin() + static_cast<std::ptrdiff_t>(count);
                std::vector<std::int64_t> reserved(held.begin(), end);
                held.erase(held.begin(), end);
                co_return reserved;
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
        // Older names sort first, and so do their numbers.
        std::ranges::sort(missing);
        CO_TRY(const auto fresh, co_await take(kind, missing.size()));
        std::vector<numeric_id> numeric_ids;
        for (std::size_t n = 0; n < missing.size(); ++n)
            numeric_ids.push_back({.name = missing[n], .number = fresh[n], .mark = 0});
        CO_CHECK_OK(co_await give_name(kind, std::move(numeric_ids)));
        // Somebody else may have been faster: what is on record counts.
        CO_TRY(auto others, co_await read(kind, std::move(missing)));
        existing.merge(others);
    }
    std::vector<numeric_id> all;
    for (const auto& name : names) {
        const auto it = existing.find(name);
        if (it == existing.end())
            co_return fail(errc::unavailable, "the number of " + name + " is not on record; again");
        all.push_back(it->second);
    }
    co_return all;
}

async<numeric_id> numeric_id_store::number(std::string kind, std::string name) {
    std::vector<std::string> one{std::move(name)};
    CO_TRY(auto match, co_await number_all(std::move(kind), std::move(one)));
    co_return std::move(match.front());
}

async<numeric_id> numeric_id_store::find(std::string kind, std::int64_t number) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(numbers_table),
             .where = {equal("kind", kind), equal("number", number)},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(errc::not_found, "there is no " + kind + " " + std::to_string(number));
    co_return decode(page.rows.front());
}

async<void> numeric_id_store::give_name(std::string kind, std::vector<numeric_id> named) {
    for (std::size_t from = 0; from < named.size(); from += at_once) {
        const auto until = std::min(named.size(), from + at_once);
        table::batch change;
        change.writes.push_back(written(
            kind,
            {named.begin() + static_cast<std::ptrdiff_t>(from),
             named.begin() + static_cast<std::ptrdiff_t>(until)}));
        CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    }
    co_return result<void>();
}

async<void> numeric_id_store::set_marks(std::string kind, std::vector<numeric_id> marked) {
    return give_name(std::move(kind), std::move(marked));
}

async<void> forget_numbers_before(muster::ledger& ledger, std::string kind, std::string name) {
    while (true) {
        table::query question{
            .table = std::string(numbers_table),
            .where =
                {equal("kind", kind),
                 {.column = "name", .compare = table::comparison::less, .values = {name}}},
            .order = {"kind", "name"},
            .limit = at_once};
        CO_TRY(const auto page, co_await ledger.read(std::move(question)));
        if (page.rows.empty()) co_return result<void>();
        table::erasure gone{.table = std::string(numbers_table), .keys = {}};
        for (const auto& row : page.rows) gone.keys.push_back({row[0], row[1]});
        table::batch change;
        change.erasures.push_back(std::move(gone));
        CO_CHECK_OK(co_await ledger.write(std::move(change)));
    }
}

}  // namespace muster::compatibility
