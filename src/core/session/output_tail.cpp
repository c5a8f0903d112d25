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
    if (size > bytes_max_) {  // only its end will be kept
        offset += size - bytes_max_;
        content.remove_prefix(size - bytes_max_);
    }
    append(offset, content);
    end_ = offset + content.size();
    drop_oldest();
}

void output_tail::reach(std::uint64_t end) {
    end_ = std::max(end_, end);
}

// Small pieces are gathered, so that a program that writes byte by byte costs no more than others.
void output_tail::append(std::uint64_t offset, std::string_view content) {
    bytes_ += content.size();
    while (!content.empty()) {
        const bool goes_on = !kept_.empty() && kept_.back().end() == offset
                             && kept_.back().content.size() < stretch_bytes;
        if (!goes_on) kept_.push_back({.offset = offset, .content = {}});
        auto& last = kept_.back().content;
        const auto part = content.substr(0, stretch_bytes - last.size());
        last += part;
        offset += part.size();
        content.remove_prefix(part.size());
    }
}

void output_tail::drop_oldest() {
    while (bytes_ > bytes_max_) {
        auto& oldest = kept_.front();
        const auto over = std::min(bytes_ - bytes_max_, oldest.content.size());
        bytes_ -= over;
        if (over == oldest.content.size()) {
            kept_.pop_front();
            continue;
        }
        oldest.content.erase(0, over);
        oldest.offset += over;
    }
}

std::optional<output_tail::piece> output_tail::read(
    std::uint64_t position, std::size_t bytes_max) const {
    auto from = std::ranges::upper_bound(
        kept_, position, {}, [](const stretch& stretch) { return stretch.end(); });
    if (from == kept_.end()) return std::nullopt;
    piece piece{.offset = std::max(position, from->offset), .content = {}};
    for (; from != kept_.end() && piece.content.size() < bytes_max; ++from) {
        const auto at = piece.offset + piece.content.size();
        if (from->offset > at) break;
        const auto skip = static_cast<std::size_t>(at - from->offset);
        piece.content += from->content.substr(skip, bytes_max - piece.content.size());
    }
    return piece;
}

}  // namespace muster::session
