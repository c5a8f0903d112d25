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
    // Limit before the agent is authenticated.
    static constexpr std::size_t hello_bytes_max = std::size_t{4} * 1024;
};

// The wire format of a frame: its size, then the message. The frame must not exceed
// frame_bytes_max.
std::string encode(const Frame& frame);
// Appends to `out`, so that several frames need one write.
void append(std::string& out, const Frame& frame);

// Splits a byte stream into frames. Strict: after anything that is not a known frame within the
// limit, every next() returns errc::invalid. Holds no memory between frames. Not thread-safe.
//
// Call feed() with received bytes, then next() until it returns nullopt.
class frame_reader {
public:
    explicit frame_reader(std::size_t bytes_max = frame_limits::frame_bytes_max)
        : bytes_max_(bytes_max) {}

    void feed(std::string_view bytes);
    // nullopt if the next frame is incomplete.
    result<std::optional<Frame>> next();

    // Applies to the next frame.
    void set_limit(std::size_t bytes_max) { bytes_max_ = bytes_max; }
    bool empty() const { return consumed_ == received_.size(); }  // no partial frame is buffered

private:
    std::unexpected<error> reject(std::string reason);
    void discard_consumed();

    std::size_t bytes_max_;
    std::string received_;
    std::size_t consumed_ = 0;
    std::string rejection_;
};

}  // namespace muster::agent_protocol
