#include "adapters/net/gzip/gzip_codec.h"

#include "base/assert.h"

#include <array>
#include <utility>

#define ZLIB_CONST  // it only reads what it is given
#include <zlib.h>

namespace muster::net::gzip {
namespace {

// With gzip's own head and sum. The level is the fastest: answers are packed as they are sent.
constexpr int level = 1;
constexpr int window_bits = 15 + 16;
constexpr int memory_level = 8;
constexpr std::size_t block_bytes = std::size_t{16} * 1024;
// What zlib counts in one go.
constexpr std::size_t piece_bytes_max = std::size_t{1024} * 1024;

using block = std::array<Bytef, block_bytes>;

void set_input(z_stream& to, std::string_view piece) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    to.next_in = reinterpret_cast<const Bytef*>(piece.data());
    to.avail_in = static_cast<uInt>(piece.size());
}

void append(std::string& to, const block& from, const z_stream& left) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    to.append(reinterpret_cast<const char*>(from.data()), from.size() - left.avail_out);
}

}  // namespace

struct packer::state {
    z_stream stream{};

    void run(std::string& to, int how) {
        block block{};
        do {
            stream.next_out = block.data();
            stream.avail_out = block.size();
            const auto done = deflate(&stream, how);
            MUSTER_ASSERT(done != Z_STREAM_ERROR);
            append(to, block, stream);
        } while (stream.avail_out == 0);
    }
};

packer::packer() : state_(std::make_unique<state>()) {
    const auto begun = deflateInit2(
        &state_->stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
    MUSTER_ASSERT(begun == Z_OK);
}

packer::~packer() {
    deflateEnd(&state_->stream);
}

std::string packer::pack(std::string_view piece) {
    std::string result;
    while (!piece.empty()) {
        const auto some = piece.substr(0, piece_bytes_max);
        piece.remove_prefix(some.size());
        set_input(state_->stream, some);
        state_->run(result, Z_NO_FLUSH);
    }
    return result;
}

std::string packer::finish() {
    std::string result;
    set_input(state_->stream, {});
    state_->run(result, Z_FINISH);
    return result;
}

struct unpacker::state {
    std::string fed;
    z_stream stream{};
    bool over = false;
};

unpacker::unpacker() : state_(std::make_unique<state>()) {
    const auto begun = inflateInit2(&state_->stream, window_bits);
    MUSTER_ASSERT(begun == Z_OK);
}

unpacker::~unpacker() {
    inflateEnd(&state_->stream);
}

void unpacker::feed(std::string piece) {
    MUSTER_ASSERT(state_->stream.avail_in == 0);
    state_->fed = std::move(piece);
    set_input(state_->stream, state_->fed);
}

result<std::string> unpacker::next() {
    auto& stream = state_->stream;
    block block{};
    stream.next_out = block.data();
    stream.avail_out = block.size();
    const auto done = inflate(&stream, Z_NO_FLUSH);
    if (done != Z_OK && done != Z_STREAM_END && done != Z_BUF_ERROR)
        return fail(errc::invalid, "the body is not packed by gzip");
    if (done == Z_STREAM_END) state_->over = true;
    if (state_->over && stream.avail_in > 0)
        return fail(errc::invalid, "something stands behind the end of a body packed by gzip");
    std::string some;
    append(some, block, stream);
    return some;
}

result<void> unpacker::finish() const {
    if (state_->over) return {};
    return fail(errc::invalid, "the end of a body packed by gzip is missing");
}

}  // namespace muster::net::gzip
