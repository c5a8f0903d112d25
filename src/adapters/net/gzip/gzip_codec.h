#pragma once

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace muster::net::gzip {

// Compresses a text piece by piece, in constant memory. Not thread-safe.
class gzip_encoder {
public:
    gzip_encoder();
    gzip_encoder(const gzip_encoder&) = delete;
    gzip_encoder& operator=(const gzip_encoder&) = delete;
    ~gzip_encoder();

    // Returns the output that is ready; may be empty.
    std::string encode(std::string_view piece);
    // Returns the rest of the output; call once, at the end.
    std::string finish();

private:
    struct state;
    std::unique_ptr<state> state_;
};

// Decompresses block by block, so that the caller can stop oversized input. Not thread-safe.
class gzip_decoder {
public:
    gzip_decoder();
    gzip_decoder(const gzip_decoder&) = delete;
    gzip_decoder& operator=(const gzip_decoder&) = delete;
    ~gzip_decoder();

    // Call after next() returned an empty block.
    void feed(std::string piece);
    // A block of at most 16 KiB; empty: all input is decompressed. errc::invalid if the input is
    // not gzip.
    result<std::string> next();
    // errc::invalid if the stream is incomplete.
    result<void> finish() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace muster::net::gzip
