#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace muster::session {

// The end of an output that grows: its last bytes, each known by its offset. What is older is
// dropped, what never came stays a gap, and whoever reads sees by the offsets what is missing.
class output_tail {
public:
    explicit output_tail(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // Content that begins at `offset`. Bytes that are here already, or were, are not added again.
    void add(std::uint64_t offset, std::string_view content);
    // The output is known to be so long, whether or not its bytes came.
    void reach(std::uint64_t end);

    struct piece {
        std::uint64_t offset = 0;
        std::string content;
        friend bool operator==(const piece&, const piece&) = default;
    };
    // The first bytes at `position` or behind it, without a gap among them. Nothing: there are none
    // yet.
    std::optional<piece> read(std::uint64_t position, std::size_t bytes_max) const;

    std::uint64_t end() const { return end_; }
    std::size_t size() const { return bytes_; }

private:
    static constexpr std::size_t stretch_bytes = std::size_t{16} * 1024;
    struct stretch {
        std::uint64_t offset = 0;
        std::string content;
        std::uint64_t end() const { return offset + content.size(); }
    };

    void append(std::uint64_t offset, std::string_view content);
    void drop_oldest();

    std::size_t bytes_max_;
    std::deque<stretch> kept_;  // by offset; neighbours may touch
    std::size_t bytes_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace muster::session
