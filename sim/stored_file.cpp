#include "sim/stored_file.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::sim {

void stored_file::touch(std::size_t from, std::size_t to) {
    ++writes_;
    for (std::size_t at = from / sector_bytes; at * sector_bytes < to; ++at) {
        unsynced_[at] = writes_;
    }
}

std::string stored_file::sector(std::size_t index) const {
    const std::size_t start = index * sector_bytes;
    return start < content_.size() ? content_.substr(start, sector_bytes) : std::string();
}

void stored_file::append(std::string_view bytes) {
    touch(content_.size(), content_.size() + bytes.size());
    content_ += bytes;
}

void stored_file::truncate(std::size_t size_bytes) {
    MUSTER_ASSERT(size_bytes <= content_.size());
    touch(size_bytes, content_.size());
    content_.resize(size_bytes);
}

stored_file::flush stored_file::begin_flush() const {
    flush begun{.writes = writes_, .size_bytes = content_.size(), .sectors = {}};
    for (const auto& [which, write] : unsynced_) begun.sectors.emplace(which, sector(which));
    return begun;
}

void stored_file::end_flush(const flush& flush) {
    if (flush.writes <= writes_durable_) return;  // one that began later was faster
    writes_durable_ = flush.writes;
    durable_.resize(flush.size_bytes);
    for (const auto& [which, bytes] : flush.sectors) {
        if (!bytes.empty()) durable_.replace(which * sector_bytes, bytes.size(), bytes);
    }
    std::erase_if(unsynced_, [&](const auto& each) { return each.second <= flush.writes; });
}

stored_file::loss stored_file::crash(prng& random) {
    loss loss{.sectors = 0, .of = unsynced_.size()};
    if (unsynced_.empty()) return loss;
    enum class fate : std::uint8_t { all_lost, all_kept, torn };
    const auto drawn = static_cast<fate>(random.below(3));
    const auto [size_min, size_max] = std::minmax(durable_.size(), content_.size());
    std::size_t size = drawn == fate::all_lost ? durable_.size() : content_.size();
    if (drawn == fate::torn && random.chance(500)) {
        size = size_min + random.below(size_max - size_min + 1);
    }
    std::string left = durable_;
    left.resize(std::max(size_max, (unsynced_.rbegin()->first + 1) * sector_bytes), '\0');
    for (const auto& [which, write] : unsynced_) {
        const bool stored = drawn == fate::all_kept || (drawn == fate::torn && random.chance(500));
        if (!stored) {
            ++loss.sectors;
            continue;
        }
        std::string bytes = sector(which);
        bytes.resize(sector_bytes, '\0');
        left.replace(which * sector_bytes, sector_bytes, bytes);
    }
    left.resize(size);
    content_ = left;
    durable_ = std::move(left);
    unsynced_.clear();
    writes_durable_ = writes_;
    return loss;
}

}  // namespace muster::sim
