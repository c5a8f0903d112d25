#include "core/table/cursor.h"

#include "base/hex.h"
#include "core/table/encoding.h"

#include <cstdint>
#include <string_view>

namespace muster::table {
namespace {

constexpr std::size_t fingerprint_bytes = 8;

std::unexpected<error> foreign_cursor() {
    return fail(
        errc::invalid,
        "cursor does not belong to this query; start again without a cursor, and use the same "
        "query for all pages");
}

// What a cursor must agree with: everything of the query but where it starts and how much it takes.
std::string query_text(const table::query& query) {
    std::string text = query.table + '\0';
    for (const auto& condition : query.where) {
        text +=
            condition.column + '\0' + std::to_string(static_cast<int>(condition.compare)) + '\0';
        text += encode(condition.values) + '\0';
    }
    for (const auto& name : query.order) text += name + '\0';
    text += query.going == direction::ascending ? "up" : "down";
    return text;
}

std::string fingerprint(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<char>((hash >> static_cast<unsigned>(shift)) & 0xffU));
    return bytes;
}

}  // namespace

std::string encode_cursor(const table::query& query, const row& cells) {
    const std::string body = encode(cells);
    return to_hex(fingerprint(query_text(query) + body) + body);
}

result<row> decode_cursor(const table::query& query, const std::vector<column_type>& types) {
    if (query.after.size() > query_limits::cursor_bytes_max) return foreign_cursor();
    const auto bytes = from_hex(query.after);
    if (!bytes || bytes->size() < fingerprint_bytes) return foreign_cursor();
    const std::string body = bytes->substr(fingerprint_bytes);
    if (bytes->substr(0, fingerprint_bytes) != fingerprint(query_text(query) + body))
        return foreign_cursor();
    auto cells = decode_row(body);
    if (!cells || cells->size() != types.size()) return foreign_cursor();
    for (std::size_t index = 0; index < types.size(); ++index)
        if (type_of((*cells)[index]) != types[index] || !check((*cells)[index]))
            return foreign_cursor();
    return cells;
}

}  // namespace muster::table
