#include "core/session/output_tail.h"

#include <algorithm>

namespace muster::session {

void output_tail::add(std::uint64_t offset, std::string_view content) {
    if (offset < end_) {
        const auto existing = std::min<std::uint64_t>(end_ - offset, content.size());
        content.remove_prefix(static_cast<std::size_t>(existing));
        offset += existing;
    }
    if (content.empty()) return;
    const auto size = content.size();
    if (size > bytes_max_) {  // only the end fits
        offset += size - bytes_max_;
        content.remove_prefix(size - bytes_max_);
    }
    append(offset, content);
    end_ = offset + content.size();
    drop_oldest();
}

void output_tail::extend_to(std::uint64_t end) {
    end_ = std::max(end_, end);
}

// Joins small writes, so that a program that writes single bytes needs no more memory.
void output_tail::append(std::uint64_t offset, std::string_view content) {
    bytes_ += content.size();
    while (!content.empty()) {
        const bool extends_last = !chunks_.empty() && chunks_.back().end() == offset
                                  && chunks_.back().content.size() < chunk_bytes;
        if (!extends_last) chunks_.push_back({.offset = offset, .content = {}});
        auto& last = chunks_.back().content;
        const auto part = content.substr(0, chunk_bytes - last.size());
        last += part;
        offset += part.size();
        content.remove_prefix(part.size());
    }
}

void output_tail::drop_oldest() {
    while (bytes_ > bytes_max_) {
        auto& oldest = chunks_.front();
        const auto excess = std::min(bytes_ - bytes_max_, oldest.content.size());
        bytes_ -= excess;
        if (excess == oldest.content.size()) {
            chunks_.pop_front();
            continue;
        }
        oldest.content.erase(0, excess);
        oldest.offset += excess;
    }
}

std::optional<output_tail::piece> output_tail::read(
    std::uint64_t position, std::size_t bytes_max) const {
    auto it = std::ranges::upper_bound(
        chunks_, position, {}, [](const chunk& stretch) { return stretch.end(); });
    if (it == chunks_.end()) return std::nullopt;
    piece piece{.offset = std::max(position, it->offset), .content = {}};
    for (; it != chunks_.end() && piece.content.size() < bytes_max; ++it) {
        const auto next_offset = piece.offset + piece.content.size();
        if (it->offset > next_offset) break;
        const auto skip = static_cast<std::size_t>(next_offset - it->offset);
        piece.content += it->content.substr(skip, bytes_max - piece.content.size());
    }
    return piece;
}

}  // namespace muster::session
