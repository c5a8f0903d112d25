#include "adapters/archive/archive_file.h"

#include "adapters/pki/openssl.h"
#include "base/assert.h"
#include "base/hex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zstd.h>

namespace muster::archive {
namespace {

constexpr int compression_level = 6;
constexpr mode_t file_mode = 0600;  // outputs of commands are confidential

std::unexpected<error> cannot(std::string_view action, const std::filesystem::path& file) {
    const auto reason = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", action, file.string(), reason));
}

class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

class running_digest {
public:
    running_digest() : state_(EVP_MD_CTX_new()) {
        MUSTER_ASSERT(state_ != nullptr);
        const int initialized = EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr);
        MUSTER_ASSERT(initialized == 1);
    }
    void add(std::string_view bytes) {
        const int added = EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size());
        MUSTER_ASSERT(added == 1);
    }
    std::string hex() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned size = 0;
        const int done = EVP_DigestFinal_ex(state_.get(), digest.data(), &size);
        MUSTER_ASSERT(done == 1);
        return to_hex(std::string(digest.begin(), digest.begin() + size));
    }

private:
    pki::owned_digest state_;
};

struct free_compressor {
    void operator()(ZSTD_CCtx* state) const { ZSTD_freeCCtx(state); }
};
struct free_decompressor {
    void operator()(ZSTD_DCtx* state) const { ZSTD_freeDCtx(state); }
};

result<void> flush_parent_directory(const std::filesystem::path& file) {
    const descriptor directory(
        ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.number() < 0 || ::fsync(directory.number()) != 0)
        return cannot("flush", file.parent_path());
    return {};
}

}  // namespace

struct file_writer::impl {
    impl(std::filesystem::path final_file, std::filesystem::path temporary_file)
        : file(std::move(final_file)),
          temporary(std::move(temporary_file)),
          output(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, file_mode)) {
        ZSTD_CCtx_setParameter(compressor.get(), ZSTD_c_compressionLevel, compression_level);
        ZSTD_CCtx_setParameter(compressor.get(), ZSTD_c_checksumFlag, 1);
    }
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;
    ~impl() {
        if (!finished) ::unlink(temporary.c_str());
    }

    result<void> write(std::string_view bytes) {
        digest.add(bytes);
        description.bytes += bytes.size();
        while (!bytes.empty()) {
            const auto written = ::write(output.number(), bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return cannot("write", temporary);
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        return {};
    }

    result<void> compress(std::string_view text, ZSTD_EndDirective directive) {
        ZSTD_inBuffer input{.src = text.data(), .size = text.size(), .pos = 0};
        while (true) {
            ZSTD_outBuffer output_buffer{.dst = buffer.data(), .size = buffer.size(), .pos = 0};
            const auto remaining =
                ZSTD_compressStream2(compressor.get(), &output_buffer, &input, directive);
            if (ZSTD_isError(remaining) != 0U)
                return fail(errc::unavailable, ZSTD_getErrorName(remaining));
            CHECK_OK(write(std::string_view(buffer.data(), output_buffer.pos)));
            const bool done = directive == ZSTD_e_end ? remaining == 0 : input.pos == input.size;
            if (done) return {};
        }
    }

    std::filesystem::path file;
    std::filesystem::path temporary;
    descriptor output;
    std::unique_ptr<ZSTD_CCtx, free_compressor> compressor{ZSTD_createCCtx()};
    std::vector<char> buffer = std::vector<char>(ZSTD_CStreamOutSize());
    running_digest digest;
    archived_file description;
    bool finished = false;
};

file_writer::file_writer(std::unique_ptr<impl> impl) : impl_(std::move(impl)) {}
file_writer::file_writer(file_writer&&) noexcept = default;
file_writer& file_writer::operator=(file_writer&&) noexcept = default;
file_writer::~file_writer() = default;

result<file_writer> file_writer::create(std::filesystem::path file) {
    auto temporary = file;
    temporary += ".part";
    auto state = std::make_unique<impl>(std::move(file), std::move(temporary));
    if (state->output.number() < 0) return cannot("write", state->temporary);
    return file_writer(std::move(state));
}

result<void> file_writer::append(std::string_view line) {
    CHECK_OK(impl_->compress(line, ZSTD_e_continue));
    CHECK_OK(impl_->compress("\n", ZSTD_e_continue));
    ++impl_->description.lines;
    return {};
}

result<archived_file> file_writer::finish() {
    CHECK_OK(impl_->compress({}, ZSTD_e_end));
    if (::fsync(impl_->output.number()) != 0) return cannot("flush", impl_->temporary);
    if (::rename(impl_->temporary.c_str(), impl_->file.c_str()) != 0)
        return cannot("rename", impl_->temporary);
    impl_->finished = true;
    CHECK_OK(flush_parent_directory(impl_->file));
    impl_->description.name = impl_->file.filename();
    impl_->description.sha256 = impl_->digest.hex();
    return impl_->description;
}

result<archived_file> read_file(
    const std::filesystem::path& file, function_ref<result<void>(std::string_view)> callback) {
    const descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (input.number() < 0) return cannot("read", file);
    const std::unique_ptr<ZSTD_DCtx, free_decompressor> decompressor(ZSTD_createDCtx());
    std::vector<char> compressed(ZSTD_DStreamInSize());
    std::vector<char> text(ZSTD_DStreamOutSize());
    running_digest digest;
    archived_file description{.name = file.filename(), .table = {}};
    std::size_t remaining = 1;  // zstd's hint; 0 at the end of the stream
    while (true) {
        const auto size = ::read(input.number(), compressed.data(), compressed.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return cannot("read", file);
        if (size == 0) break;
        const std::string_view piece(compressed.data(), static_cast<std::size_t>(size));
        digest.add(piece);
        description.bytes += piece.size();
        ZSTD_inBuffer input_buffer{.src = piece.data(), .size = piece.size(), .pos = 0};
        bool output_full = true;
        while (input_buffer.pos < input_buffer.size || output_full) {
            ZSTD_outBuffer output_buffer{.dst = text.data(), .size = text.size(), .pos = 0};
            remaining = ZSTD_decompressStream(decompressor.get(), &output_buffer, &input_buffer);
            if (ZSTD_isError(remaining) != 0U)
                return fail(
                    errc::corrupt, fmt::format("archive file {} is damaged", file.string()));
            const std::string_view piece_text(text.data(), output_buffer.pos);
            description.lines += static_cast<std::uint64_t>(std::ranges::count(piece_text, '\n'));
            CHECK_OK(callback(piece_text));
            output_full = output_buffer.pos == output_buffer.size;
        }
    }
    if (remaining != 0)
        return fail(errc::corrupt, fmt::format("archive file {} is truncated", file.string()));
    description.sha256 = digest.hex();
    return description;
}

}  // namespace muster::archive
