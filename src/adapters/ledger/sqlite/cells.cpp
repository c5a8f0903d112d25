#include "adapters/ledger/sqlite/cells.h"

#include "base/assert.h"

#include <string>

namespace muster::ledger_sqlite {
namespace {

struct to_sqlite {
    sqlite::parameter operator()(const table::null&) const { return sqlite::null{}; }
    sqlite::parameter operator()(bool flag) const { return std::int64_t{flag ? 1 : 0}; }
    sqlite::parameter operator()(std::int64_t number) const { return number; }
    sqlite::parameter operator()(double number) const { return number; }
    sqlite::parameter operator()(const std::string& text) const { return std::string_view(text); }
    sqlite::parameter operator()(const table::blob& bytes) const {
        return sqlite::blob{bytes.content};
    }
    sqlite::parameter operator()(const wall_time& time) const {
        return std::int64_t{time.time_since_epoch().count()};
    }
};

table::value read_cell(const sqlite::statement& row, int column, table::column_type type) {
    if (row.is_null(column)) return table::null{};
    switch (type) {
        case table::column_type::boolean:
            return row.integer(column) != 0;
        case table::column_type::integer:
            return row.integer(column);
        case table::column_type::real:
            return row.real(column);
        case table::column_type::text:
            return std::string(row.text(column));
        case table::column_type::bytes:
            return table::blob{std::string(row.bytes(column))};
        case table::column_type::time:
            return wall_time(std::chrono::microseconds(row.integer(column)));
    }
    MUSTER_ASSERT(false);
}

}  // namespace

sqlite::parameter to_parameter(const table::value& cell) {
    return std::visit(to_sqlite{}, cell);
}

std::vector<sqlite::parameter> to_parameters(const table::row& cells) {
    std::vector<sqlite::parameter> parameters;
    parameters.reserve(cells.size() + 1);
    for (const auto& cell : cells) parameters.push_back(to_parameter(cell));
    return parameters;
}

table::row read_row(const sqlite::statement& row, const std::vector<table::column>& columns) {
    table::row cells;
    cells.reserve(columns.size());
    for (std::size_t index = 0; index < columns.size(); ++index)
        cells.push_back(read_cell(row, static_cast<int>(index), columns[index].type));
    return cells;
}

}  // namespace muster::ledger_sqlite
