#include "core/table/cursor.h"

#include "base/hex.h"
#include "core/table/encoding.h"

#include <cstdint>
#include <string_view>

namespace muster::table {
namespace {

constexpr std::size_t fingerprint_bytes = 8;

std::unexpected<error> not_ours() {
    return fail(
        errc::invalid,
        "the cursor is not one of this query: start again without a cursor, and keep the query "
        "the same from page to page");
}

// What a cursor must agree with: everything of the query but where it starts and how much it takes.
std::string shape_of(const query& question) {
    std::string shape = question.table + '\0';
    for (const auto& each : question.where) {
        shape += each.column + '\0' + std::to_string(static_cast<int>(each.compare)) + '\0';
        shape += encode(each.values) + '\0';
    }
    for (const auto& name : question.order) shape += name + '\0';
    shape += question.going == direction::ascending ? "up" : "down";
    return shape;
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

std::string encode_cursor(const query& question, const row& cells) {
    const std::string body = encode(cells);
    return to_hex(fingerprint(shape_of(question) + body) + body);
}

result<row> decode_cursor(const query& question, const std::vector<column_type>& types) {
    if (question.after.size() > query_limits::cursor_bytes_max) return not_ours();
    const auto bytes = from_hex(question.after);
    if (!bytes || bytes->size() < fingerprint_bytes) return not_ours();
    const std::string body = bytes->substr(fingerprint_bytes);
    if (bytes->substr(0, fingerprint_bytes) != fingerprint(shape_of(question) + body))
        return not_ours();
    auto cells = decode_row(body);
    if (!cells || cells->size() != types.size()) return not_ours();
    for (std::size_t at = 0; at < types.size(); ++at)
        if (type_of((*cells)[at]) != types[at] || !check((*cells)[at])) return not_ours();
    return cells;
}

}  // namespace muster::table
