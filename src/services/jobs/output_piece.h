#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::jobs {

// A piece of a running task's output, as a node tells it to a gateway.
struct output_piece {
    std::uint32_t attempt = 0;  // none: nothing is known of the task yet
    std::uint64_t offset = 0;   // of content in the attempt's output; a gap was skipped
    std::string content;        // empty: nothing new, but the node is there
    bool ended = false;         // the attempt has; what came of it will be on record

    friend bool operator==(const output_piece&, const output_piece&) = default;
};

// Pieces as a stream of bytes: a line "ATTEMPT OFFSET SIZE more" or "… ended", and the content.
inline constexpr std::size_t output_piece_bytes_max = std::size_t{64} * 1024;
std::string encode(const output_piece& piece);

// Takes such a stream apart, however it was cut into pieces on its way.
class output_reader {
public:
    void feed(std::string_view bytes) { unread_ += bytes; }
    // Nothing: more has to come first. errc::corrupt: no node of ours says such a thing.
    result<std::optional<output_piece>> next();

private:
    static constexpr std::size_t line_bytes_max = 64;

    std::string unread_;
};

}  // namespace muster::jobs
