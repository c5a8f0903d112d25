#pragma once

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace muster::net::gzip {

// Packs a text piece by piece; needs the same memory however long it is.
class packer {
public:
    packer();
    packer(const packer&) = delete;
    packer& operator=(const packer&) = delete;
    ~packer();

    // What can go out now, which may be nothing yet.
    std::string pack(std::string_view piece);
    // The rest. Nothing is packed after it.
    std::string finish();

private:
    struct state;
    std::unique_ptr<state> state_;
};

// The other way round, block by block: whoever takes them says when it is too much.
class unpacker {
public:
    unpacker();
    unpacker(const unpacker&) = delete;
    unpacker& operator=(const unpacker&) = delete;
    ~unpacker();

    // Once all blocks of the piece before were taken.
    void feed(std::string piece);
    // A block of at most 16 KiB; empty: all that was fed is unpacked. errc::invalid for what is not
    // packed by gzip.
    result<std::string> next();
    // Whether it came to its end. errc::invalid.
    result<void> finish() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace muster::net::gzip
