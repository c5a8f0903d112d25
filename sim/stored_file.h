#pragma once

#include "base/prng.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::sim {

// One file on a simulated disk: the content programs see, and the content that survives a crash.
//
// A sync takes time. It makes durable what was written before begin_flush() when end_flush() runs;
// writes in between are not durable.
class stored_file {
public:
    static constexpr std::size_t sector_bytes = 512;

    // The data that one sync makes durable.
    struct flush {
        std::uint64_t writes = 0;  // made before it began
        std::size_t size_bytes = 0;
        std::map<std::size_t, std::string> sectors;
    };
    // The sectors that a crash lost.
    struct loss {
        std::size_t sectors = 0;
        std::size_t unsynced_sectors = 0;
    };

    const std::string& content() const { return content_; }
    void append(std::string_view bytes);
    void truncate(std::size_t size_bytes);

    flush begin_flush() const;
    void end_flush(const flush& flush);

    // Unsynced data survives completely, partly (any set of its sectors, any size between the
    // durable and the current one), or not at all.
    loss crash(prng& random);

private:
    void mark_unsynced(std::size_t from, std::size_t to);
    std::string sector(std::size_t index) const;

    std::string content_;
    std::string durable_;
    std::map<std::size_t, std::uint64_t> unsynced_;  // sectors, and the last write to each
    std::uint64_t writes_ = 0;
    std::uint64_t writes_durable_ = 0;
};

}  // namespace muster::sim
