#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace muster::session {

// Stores the last bytes of a growing output with their offsets. Older bytes are dropped. Bytes that
// never came stay a gap; readers notice gaps by the offsets. Not thread-safe.
class output_tail {
public:
    explicit output_tail(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // Adds content that begins at `offset`; skips bytes before end().
    void add(std::uint64_t offset, std::string_view content);
    // The output is at least this long, even if its bytes did not come.
    void extend_to(std::uint64_t end);

    struct piece {
        std::uint64_t offset = 0;
        std::string content;
        friend bool operator==(const piece&, const piece&) = default;
    };
    // The first contiguous bytes at or after `position`; nothing if there are none yet.
    std::optional<piece> read(std::uint64_t position, std::size_t bytes_max) const;

    std::uint64_t end() const { return end_; }
    std::size_t size() const { return bytes_; }

private:
    static constexpr std::size_t chunk_bytes = std::size_t{16} * 1024;
    struct chunk {
        std::uint64_t offset = 0;
        std::string content;
        std::uint64_t end() const { return offset + content.size(); }
    };

    void append(std::uint64_t offset, std::string_view content);
    void drop_oldest();

    std::size_t bytes_max_;
    std::deque<chunk> chunks_;  // by offset; may be contiguous
    std::size_t bytes_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace muster::session
