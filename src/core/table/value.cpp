#include "core/table/value.h"

#include "base/assert.h"
#include "core/table/utf8.h"

#include <cmath>

namespace muster::table {
namespace {

struct kind_of {
    std::optional<column_type> operator()(const null&) const { return std::nullopt; }
    std::optional<column_type> operator()(bool) const { return column_type::boolean; }
    std::optional<column_type> operator()(std::int64_t) const { return column_type::integer; }
    std::optional<column_type> operator()(double) const { return column_type::real; }
    std::optional<column_type> operator()(const std::string&) const { return column_type::text; }
    std::optional<column_type> operator()(const blob&) const { return column_type::bytes; }
    std::optional<column_type> operator()(const wall_time&) const { return column_type::time; }
};

result<void> check_size(std::size_t size) {
    if (size <= value_limits::bytes_max) return {};
    return fail(
        errc::invalid,
        "has " + std::to_string(size) + " bytes, at most " + std::to_string(value_limits::bytes_max)
            + " are allowed");
}

struct checker {
    result<void> operator()(const null&) const { return {}; }
    result<void> operator()(bool) const { return {}; }
    result<void> operator()(std::int64_t) const { return {}; }
    result<void> operator()(double number) const {
        if (std::isnan(number)) return fail(errc::invalid, "is not a number");
        return {};
    }
    result<void> operator()(const std::string& text) const {
        CHECK_OK(check_size(text.size()));
        if (!is_utf8_without_nul(text))
            return fail(
                errc::invalid, "is not UTF-8 text without NUL; declare the column as bytes");
        return {};
    }
    result<void> operator()(const blob& bytes) const { return check_size(bytes.content.size()); }
    result<void> operator()(const wall_time& time) const {
        if (time < value_limits::time_min || time > value_limits::time_max)
            return fail(errc::invalid, "is a time outside the years 1 to 9999");
        return {};
    }
};

}  // namespace

std::string_view to_string(column_type kind) {
    switch (kind) {
        case column_type::boolean:
            return "boolean";
        case column_type::integer:
            return "integer";
        case column_type::real:
            return "real";
        case column_type::text:
            return "text";
        case column_type::bytes:
            return "bytes";
        case column_type::time:
            return "time";
    }
    MUSTER_ASSERT(false);
}

std::optional<column_type> type_of(const value& cell) {
    return std::visit(kind_of{}, cell);
}

std::size_t size_bytes(const value& cell) {
    constexpr std::size_t fixed = 8;
    if (const auto* text = std::get_if<std::string>(&cell)) return fixed + text->size();
    if (const auto* bytes = std::get_if<blob>(&cell)) return fixed + bytes->content.size();
    return fixed;
}

result<void> check(const value& cell) {
    return std::visit(checker{}, cell);
}

}  // namespace muster::table
