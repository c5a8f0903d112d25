#pragma once

#include "base/result.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

struct sqlite3_stmt;

namespace muster::sqlite {

struct null {};
struct blob {
    std::string_view bytes;
};
using parameter = std::variant<null, std::int64_t, double, std::string_view, blob>;

// A prepared statement, to be used again and again. Must not outlive its database, and is used by
// one thread at a time.
class statement {
public:
    explicit statement(sqlite3_stmt* raw) : raw_(raw) {}

    // For statements that answer no rows: binds, executes, and is ready for the next run.
    result<void> run(std::initializer_list<parameter> values) { return run(std::span(values)); }
    result<void> run(std::span<const parameter> values);

    // For queries: bind, then step until it says false. Values are copied; parameters are counted
    // from the first '?'. Starts over when the statement was in the middle of its rows.
    result<void> bind(std::initializer_list<parameter> values) { return bind(std::span(values)); }
    result<void> bind(std::span<const parameter> values);
    result<bool> step();
    void reset();

    // The row that step() came to, columns counted from 0. Views live until the next step or reset.
    bool is_null(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string_view text(int column) const;
    std::string_view bytes(int column) const;

private:
    struct finalize {
        void operator()(sqlite3_stmt* raw) const;
    };
    enum class lifetime { until_reset, copied };

    result<void> bind_all(std::span<const parameter> values, lifetime life);

    std::unique_ptr<sqlite3_stmt, finalize> raw_;
};

}  // namespace muster::sqlite
