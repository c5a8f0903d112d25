#pragma once

#include "base/result.h"
#include "base/time.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::table {

// What a cell can hold. The order of values is the same in every engine: numbers and times by
// size, text and bytes byte by byte.
enum class column_type { boolean, integer, real, text, bytes, time };

std::string_view to_string(column_type kind);

struct null {
    friend bool operator==(const null&, const null&) = default;
    friend std::strong_ordering operator<=>(const null&, const null&) = default;
};

// Bytes of any kind; text (std::string) is UTF-8 without NUL, because PostgreSQL takes no other.
struct blob {
    std::string content;
    friend bool operator==(const blob&, const blob&) = default;
    friend std::strong_ordering operator<=>(const blob&, const blob&) = default;
};

using value = std::variant<null, bool, std::int64_t, double, std::string, blob, wall_time>;

// Cells in the order of the table's columns (definition.h).
using row = std::vector<value>;

struct value_limits {
    static constexpr std::size_t bytes_max = 4 * std::size_t{1024} * 1024;
    // The years every engine and every calendar format can write.
    static constexpr wall_time time_min =
        std::chrono::sys_days(std::chrono::year(1) / std::chrono::January / 1);
    static constexpr wall_time time_max =
        wall_time(std::chrono::sys_days(std::chrono::year(10000) / std::chrono::January / 1))
        - std::chrono::microseconds(1);
};

std::optional<column_type> type_of(const value& cell);  // nothing for null
std::size_t size_bytes(const value& cell);

// Whether every engine can store the cell and give it back unchanged.
result<void> check(const value& cell);

}  // namespace muster::table
