#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::jobs {

// A piece of a running task's output, sent from a node to a gateway.
struct output_piece {
    std::uint32_t attempt = 0;  // 0: the node does not know the task yet
    std::uint64_t offset = 0;   // of the content in the attempt's output; gaps were skipped
    std::string content;        // empty: keep-alive without new output
    bool ended = false;         // the attempt has ended; its result follows in the ledger

    friend bool operator==(const output_piece&, const output_piece&) = default;
};

// Encodes a piece as a line "ATTEMPT OFFSET SIZE more" or "… ended", followed by the content.
inline constexpr std::size_t output_piece_bytes_max = std::size_t{64} * 1024;
std::string encode(const output_piece& piece);

// Decodes a stream of pieces from chunks of any size. Not thread-safe.
class output_reader {
public:
    void feed(std::string_view bytes) { unread_ += bytes; }
    // Empty: the next piece is incomplete. errc::corrupt: the stream does not have this format.
    result<std::optional<output_piece>> next();

private:
    static constexpr std::size_t line_bytes_max = 64;

    std::string unread_;
};

}  // namespace muster::jobs
