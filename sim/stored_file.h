#pragma once

#include "base/prng.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::sim {

// One file on a simulated disk: what programs see of it, and what is sure to outlast a crash.
//
// A sync is two moments, because it takes time: it carries what was written before it began, and
// that is durable when it ends. What was written in between is not.
class stored_file {
public:
    static constexpr std::size_t sector_bytes = 512;

    // What a sync carries to the disk.
    struct flush {
        std::uint64_t writes = 0;  // made before it began
        std::size_t size_bytes = 0;
        std::map<std::size_t, std::string> sectors;
    };
    // What a crash took of the sectors that were not durable.
    struct loss {
        std::size_t sectors = 0;
        std::size_t of = 0;
    };

    const std::string& content() const { return content_; }
    void append(std::string_view bytes);
    void truncate(std::size_t size_bytes);

    flush begin_flush() const;
    void end_flush(const flush& flush);

    // What was not durable stays wholly, in part (any set of its sectors, any size between the
    // durable and the last), or not at all.
    loss crash(prng& random);

private:
    void touch(std::size_t from, std::size_t to);
    std::string sector(std::size_t index) const;

    std::string content_;
    std::string durable_;
    std::map<std::size_t, std::uint64_t> unsynced_;  // sectors, and the last write to each
    std::uint64_t writes_ = 0;
    std::uint64_t writes_durable_ = 0;
};

}  // namespace muster::sim
