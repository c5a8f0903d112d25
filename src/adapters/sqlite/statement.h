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

// A prepared, reusable statement. Must not outlive its database. Not thread-safe.
class statement {
public:
    explicit statement(sqlite3_stmt* raw) : raw_(raw) {}

    // For statements without rows: binds, executes and resets.
    result<void> run(std::initializer_list<parameter> values) { return run(std::span(values)); }
    result<void> run(std::span<const parameter> values);

    // For queries: bind, then step until it returns false. Values are copied. bind() restarts a
    // statement that was not at its end.
    result<void> bind(std::initializer_list<parameter> values) { return bind(std::span(values)); }
    result<void> bind(std::span<const parameter> values);
    result<bool> step();
    void reset();

    // The current row; columns are counted from 0. Views are valid until the next step or reset.
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
