#include "adapters/ledger/postgres/binary.h"

#include "base/assert.h"

#include <bit>

namespace muster::ledger_postgres {
namespace {

using table::column_type;

// PostgreSQL counts microseconds from 2000-01-01.
constexpr std::int64_t epoch_shift_us = 946'684'800'000'000;

template <class Unsigned>
void append_big_endian(Unsigned number, std::string& out) {
    for (int shift = static_cast<int>(sizeof(Unsigned)) * 8 - 8; shift >= 0; shift -= 8)
        out.push_back(static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xffU));
}

std::uint64_t read_big_endian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = (number << 8U) | static_cast<std::uint8_t>(byte);
    return number;
}

void append_int64(std::int64_t number, std::string& out) {
    append_big_endian(static_cast<std::uint64_t>(number), out);
}

struct appender {
    std::string& out;

    void operator()(const table::null&) const {}
    void operator()(bool flag) const { out.push_back(flag ? '\1' : '\0'); }
    void operator()(std::int64_t number) const { append_int64(number, out); }
    void operator()(double number) const { append_int64(std::bit_cast<std::int64_t>(number), out); }
    void operator()(const std::string& text) const { out += text; }
    void operator()(const table::blob& bytes) const { out += bytes.content; }
    void operator()(const wall_time& time) const {
        append_int64(time.time_since_epoch().count() - epoch_shift_us, out);
    }
};

std::size_t binary_size(const table::value& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return text->size();
    if (const auto* bytes = std::get_if<table::blob>(&cell)) return bytes->content.size();
    return std::holds_alternative<bool>(cell) ? 1 : 8;
}

}  // namespace

std::uint32_t type_oid(column_type type) {
    switch (type) {
        case column_type::boolean:
            return 16;
        case column_type::integer:
            return 20;
        case column_type::real:
            return 701;
        case column_type::text:
            return 25;
        case column_type::bytes:
            return 17;
        case column_type::time:
            return 1184;
    }
    MUSTER_ASSERT(false);
}

std::string to_binary(const table::value& cell) {
    std::string bytes;
    std::visit(appender{bytes}, cell);
    return bytes;
}

void append_field(const table::value& cell, std::string& out) {
    if (std::holds_alternative<table::null>(cell))
        return append_big_endian(static_cast<std::uint32_t>(-1), out);
    append_big_endian(static_cast<std::uint32_t>(binary_size(cell)), out);
    std::visit(appender{out}, cell);
}

void append_int32_field(std::int32_t number, std::string& out) {
    append_big_endian(std::uint32_t{4}, out);
    append_big_endian(static_cast<std::uint32_t>(number), out);
}

void append_copy_header(std::string& out) {
    out.append("PGCOPY\n\377\r\n\0", 11);
    append_big_endian(std::uint32_t{0}, out);  // no flags
    append_big_endian(std::uint32_t{0}, out);  // no extension
}

void append_tuple_start(std::size_t fields, std::string& out) {
    append_big_endian(static_cast<std::uint16_t>(fields), out);
}

void append_copy_trailer(std::string& out) {
    append_big_endian(static_cast<std::uint16_t>(-1), out);
}

std::int64_t integer_from_binary(std::string_view bytes) {
    if (bytes.size() == 4)
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(read_big_endian(bytes)));
    return static_cast<std::int64_t>(read_big_endian(bytes));
}

result<table::value> from_binary(column_type type, std::string_view bytes) {
    if (type == column_type::text) return table::value(std::string(bytes));
    if (type == column_type::bytes) return table::value(table::blob{std::string(bytes)});
    const std::size_t expected = type == column_type::boolean ? 1 : 8;
    if (bytes.size() != expected)
        return fail(errc::corrupt, "PostgreSQL returned a column of another type than declared");
    const std::int64_t number = integer_from_binary(bytes);
    if (type == column_type::boolean) return table::value(number != 0);
    if (type == column_type::integer) return table::value(number);
    if (type == column_type::real) return table::value(std::bit_cast<double>(number));
    return table::value(wall_time(std::chrono::microseconds(number + epoch_shift_us)));
}

}  // namespace muster::ledger_postgres
