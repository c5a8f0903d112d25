#include "adapters/net/gzip/gzip_codec.h"

#include "base/assert.h"

#include <array>
#include <utility>

#define ZLIB_CONST  // zlib only reads its input
#include <zlib.h>

namespace muster::net::gzip {
namespace {

// gzip header and checksum; the fastest level, because responses are compressed while sent.
constexpr int level = 1;
constexpr int window_bits = 15 + 16;
constexpr int memory_level = 8;
constexpr std::size_t block_bytes = std::size_t{16} * 1024;
// The most input that zlib accepts at once.
constexpr std::size_t piece_bytes_max = std::size_t{1024} * 1024;

using block = std::array<Bytef, block_bytes>;

void set_input(z_stream& stream, std::string_view piece) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    stream.next_in = reinterpret_cast<const Bytef*>(piece.data());
    stream.avail_in = static_cast<uInt>(piece.size());
}

void append(std::string& output, const block& block, const z_stream& stream) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    output.append(reinterpret_cast<const char*>(block.data()), block.size() - stream.avail_out);
}

}  // namespace

struct gzip_encoder::state {
    z_stream stream{};

    void run(std::string& output, int flush_mode) {
        block block{};
        do {
            stream.next_out = block.data();
            stream.avail_out = block.size();
            const auto status = deflate(&stream, flush_mode);
            MUSTER_ASSERT(status != Z_STREAM_ERROR);
            append(output, block, stream);
        } while (stream.avail_out == 0);
    }
};

gzip_encoder::gzip_encoder() : state_(std::make_unique<state>()) {
    const auto status = deflateInit2(
        &state_->stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
    MUSTER_ASSERT(status == Z_OK);
}

gzip_encoder::~gzip_encoder() {
    deflateEnd(&state_->stream);
}

std::string gzip_encoder::encode(std::string_view piece) {
    std::string result;
    while (!piece.empty()) {
        const auto part = piece.substr(0, piece_bytes_max);
        piece.remove_prefix(part.size());
        set_input(state_->stream, part);
        state_->run(result, Z_NO_FLUSH);
    }
    return result;
}

std::string gzip_encoder::finish() {
    std::string result;
    set_input(state_->stream, {});
    state_->run(result, Z_FINISH);
    return result;
}

struct gzip_decoder::state {
    std::string input;
    z_stream stream{};
    bool ended = false;
};

gzip_decoder::gzip_decoder() : state_(std::make_unique<state>()) {
    const auto status = inflateInit2(&state_->stream, window_bits);
    MUSTER_ASSERT(status == Z_OK);
}

gzip_decoder::~gzip_decoder() {
    inflateEnd(&state_->stream);
}

void gzip_decoder::feed(std::string piece) {
    MUSTER_ASSERT(state_->stream.avail_in == 0);
    state_->input = std::move(piece);
    set_input(state_->stream, state_->input);
}

result<std::string> gzip_decoder::next() {
    auto& stream = state_->stream;
    block block{};
    stream.next_out = block.data();
    stream.avail_out = block.size();
    const auto status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return fail(errc::invalid, "body is not valid gzip data");
    if (status == Z_STREAM_END) state_->ended = true;
    if (state_->ended && stream.avail_in > 0)
        return fail(errc::invalid, "body has data after the end of the gzip stream");
    std::string output;
    append(output, block, stream);
    return output;
}

result<void> gzip_decoder::finish() const {
    if (state_->ended) return {};
    return fail(errc::invalid, "gzip body is truncated");
}

}  // namespace muster::net::gzip
