#pragma once

#include "core/table/schema.h"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::table {

enum class comparison { equal, less, less_or_equal, greater, greater_or_equal, one_of };
enum class direction { ascending, descending };

// A cell compared with a value, or with several for one_of. A null cell meets no condition.
struct condition {
    std::string column;
    comparison compare = comparison::equal;
    std::vector<value> values;
};

// Asks for the rows that meet all conditions, in order of `order` and then of the key, so that the
// order is total. Following a sequenced table: where sequence > s, ordered by sequence.
struct query {
    std::string table;
    std::vector<condition> where;
    std::vector<std::string> order;  // required columns only
    direction going = direction::ascending;
    std::string after;  // page::next of the page before; empty: from the first
    std::size_t limit = 1000;
};

// Rows read hold definition::readable() columns. A page may be shorter than the limit when its
// rows are large; only an empty `next` means that there are no more.
struct page {
    std::vector<row> rows;
    std::string next;
};

struct query_limits {
    static constexpr std::size_t rows_max = 10'000;
    static constexpr std::size_t page_bytes_max = 16 * std::size_t{1024} * 1024;
    static constexpr std::size_t conditions_max = 16;
    static constexpr std::size_t order_max = 8;
    static constexpr std::size_t list_max = 1000;
    static constexpr std::size_t cursor_bytes_max = 16 * std::size_t{1024};
};

// A query that was checked against the catalog, with names turned into positions.
struct checked_query {
    const definition* table = nullptr;
    std::vector<std::size_t> where;  // the column of each condition
    std::vector<std::size_t> order;  // the key's columns at the end
    row after;                       // the cells of `order` of the last row seen; empty: none
};

// errc::invalid with the name of what is wrong: table, column, type or cursor.
result<checked_query> check(const table::query& query, const catalog& tables);

// The cursor behind `last`, a row that was read.
std::string cursor_after(const table::query& query, const checked_query& checked, const row& last);

// Collects a page as the engines do: never more rows than asked for, never far more bytes than a
// page may have.
class page_builder {
public:
    page_builder(const table::query& query, const checked_query& checked)
        : query_(query), checked_(checked) {}

    // False: the page is full, the row was not taken, and there are more.
    bool add(row cells);
    page finish();

private:
    const query& query_;
    const checked_query& checked_;
    page page_;
    std::size_t bytes_ = 0;
    bool more_ = false;
};

}  // namespace muster::table
