#include "services/jobs/output_piece.h"

#include <charconv>
#include <concepts>

namespace muster::jobs {
namespace {

// Takes a number and the blank behind it off the line.
template <std::unsigned_integral Number>
bool take(std::string_view& line, Number& into) {
    const auto* const end = line.data() + line.size();
    const auto [stopped, failure] = std::from_chars(line.data(), end, into);
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
        return fail(errc::corrupt, "this is not what a node tells of a task's output");
    };
    const auto end = unread_.find('\n');
    if (end == std::string::npos && unread_.size() < line_bytes_max)
        return std::optional<output_piece>();
    if (end > line_bytes_max) return corrupt();  // also when there is none in so much
    auto line = std::string_view(unread_).substr(0, end);
    output_piece piece;
    std::size_t size = 0;
    if (!take(line, piece.attempt) || !take(line, piece.offset) || !take(line, size))
        return corrupt();
    if (size > output_piece_bytes_max || (line != "more" && line != "ended")) return corrupt();
    piece.ended = line == "ended";
    if (unread_.size() - end - 1 < size) return std::optional<output_piece>();
    piece.content = unread_.substr(end + 1, size);
    unread_.erase(0, end + 1 + size);
    return std::optional(std::move(piece));
}

}  // namespace muster::jobs
