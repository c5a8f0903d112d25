#include "sim/stored_file.h"

#include "base/assert.h"

#include <algorithm>

namespace muster::sim {

void stored_file::mark_unsynced(std::size_t from, std::size_t to) {
    ++writes_;
    for (std::size_t index = from / sector_bytes; index * sector_bytes < to; ++index) {
        unsynced_[index] = writes_;
    }
}

std::string stored_file::sector(std::size_t index) const {
    const std::size_t start = index * sector_bytes;
    return start < content_.size() ? content_.substr(start, sector_bytes) : std::string();
}

void stored_file::append(std::string_view bytes) {
    mark_unsynced(content_.size(), content_.size() + bytes.size());
    content_ += bytes;
}

void stored_file::truncate(std::size_t size_bytes) {
    MUSTER_ASSERT(size_bytes <= content_.size());
    mark_unsynced(size_bytes, content_.size());
    content_.resize(size_bytes);
}

stored_file::flush stored_file::begin_flush() const {
    flush started{.writes = writes_, .size_bytes = content_.size(), .sectors = {}};
    for (const auto& [index, write] : unsynced_) started.sectors.emplace(index, sector(index));
    return started;
}

void stored_file::end_flush(const flush& flush) {
    if (flush.writes <= writes_durable_) return;  // a later flush has completed first
    writes_durable_ = flush.writes;
    durable_.resize(flush.size_bytes);
    for (const auto& [index, bytes] : flush.sectors) {
        if (!bytes.empty()) durable_.replace(index * sector_bytes, bytes.size(), bytes);
    }
    std::erase_if(unsynced_, [&](const auto& sector) { return sector.second <= flush.writes; });
}

stored_file::loss stored_file::crash(prng& random) {
    loss loss{.sectors = 0, .unsynced_sectors = unsynced_.size()};
    if (unsynced_.empty()) return loss;
    enum class crash_fate : std::uint8_t { all_lost, all_kept, torn };
    const auto fate = static_cast<crash_fate>(random.below(3));
    const auto [size_min, size_max] = std::minmax(durable_.size(), content_.size());
    std::size_t size = fate == crash_fate::all_lost ? durable_.size() : content_.size();
    if (fate == crash_fate::torn && random.chance(500)) {
        size = size_min + random.below(size_max - size_min + 1);
    }
    std::string surviving = durable_;
    surviving.resize(std::max(size_max, (unsynced_.rbegin()->first + 1) * sector_bytes), '\0');
    for (const auto& [index, write] : unsynced_) {
        const bool stored =
            fate == crash_fate::all_kept || (fate == crash_fate::torn && random.chance(500));
        if (!stored) {
            ++loss.sectors;
            continue;
        }
        std::string bytes = sector(index);
        bytes.resize(sector_bytes, '\0');
        surviving.replace(index * sector_bytes, sector_bytes, bytes);
    }
    surviving.resize(size);
    content_ = surviving;
    durable_ = std::move(surviving);
    unsynced_.clear();
    writes_durable_ = writes_;
    return loss;
}

}  // namespace muster::sim
