#pragma once

#include "base/result.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent_protocol {

struct frame_limits {
    static constexpr std::size_t prefix_bytes = 4;  // the size, big endian
    static constexpr std::size_t frame_bytes_max = std::size_t{1024} * 1024;
    // Before it has proven who it is nobody may make the node keep more than this.
    static constexpr std::size_t hello_bytes_max = std::size_t{4} * 1024;
};

// The frame as it goes over the wire, its size in front. The caller keeps it within
// frame_bytes_max.
std::string encode(const Frame& frame);
// The same, behind what is there already: many frames make one write.
void append(std::string& out, const Frame& frame);

// Takes frames off a stream of bytes. Strict: whatever is not a frame of a known kind within the
// limit is errc::invalid, and nothing is read after it. Holds no memory between frames.
//
// Feed what came, then take frames until there is none.
class frame_reader {
public:
    explicit frame_reader(std::size_t bytes_max = frame_limits::frame_bytes_max)
        : bytes_max_(bytes_max) {}

    void feed(std::string_view bytes);
    // Nothing: the next frame is not all there yet.
    result<std::optional<Frame>> next();

    // From the next frame on.
    void allow(std::size_t bytes_max) { bytes_max_ = bytes_max; }
    bool empty() const { return taken_ == received_.size(); }  // no part of a frame is waiting

private:
    std::unexpected<error> refuse(std::string why);
    void drop_taken();

    std::size_t bytes_max_;
    std::string received_;
    std::size_t taken_ = 0;
    std::string refused_;
};

}  // namespace muster::agent_protocol
