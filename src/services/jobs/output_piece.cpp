#include "services/jobs/output_piece.h"

#include <charconv>
#include <concepts>

namespace muster::jobs {
namespace {

// Removes a number and the following blank from the line.
template <std::unsigned_integral Number>
bool read_number(std::string_view& line, Number& value) {
    const auto* const end = line.data() + line.size();
    const auto [stopped, failure] = std::from_chars(line.data(), end, value);
    if (failure != std::errc() || stopped == end || *stopped != ' ') return false;
    line.remove_prefix(static_cast<std::size_t>(stopped - line.data()) + 1);
    return true;
}

}  // namespace

std::string encode(const output_piece& piece) {
    return std::to_string(piece.attempt) + ' ' + std::to_string(piece.offset) + ' '
           + std::to_string(piece.content.size()) + (piece.ended ? " ended\n" : " more\n")
           + piece.content;
}

result<std::optional<output_piece>> output_reader::next() {
    const auto corrupt = [] {
        return fail(errc::corrupt, "invalid task output message");
    };
    const auto end = unread_.find('\n');
    if (end == std::string::npos && unread_.size() < line_bytes_max)
        return std::optional<output_piece>();
    if (end > line_bytes_max) return corrupt();  // also if there is no end of line
    auto line = std::string_view(unread_).substr(0, end);
    output_piece piece;
    std::size_t size = 0;
    if (!read_number(line, piece.attempt) || !read_number(line, piece.offset)
        || !read_number(line, size))
        return corrupt();
    if (size > output_piece_bytes_max || (line != "more" && line != "ended")) return corrupt();
    piece.ended = line == "ended";
    if (unread_.size() - end - 1 < size) return std::optional<output_piece>();
    piece.content = unread_.substr(end + 1, size);
    unread_.erase(0, end + 1 + size);
    return std::optional(std::move(piece));
}

}  // namespace muster::jobs
