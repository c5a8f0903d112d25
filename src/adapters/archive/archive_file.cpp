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
constexpr mode_t file_mode = 0600;  // outputs of commands are nobody else's business

std::unexpected<error> cannot(std::string_view text, const std::filesystem::path& file) {
    const auto reason = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", text, file.string(), reason));
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
        const int begun = EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr);
        MUSTER_ASSERT(begun == 1);
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

struct free_packer {
    void operator()(ZSTD_CCtx* state) const { ZSTD_freeCCtx(state); }
};
struct free_unpacker {
    void operator()(ZSTD_DCtx* state) const { ZSTD_freeDCtx(state); }
};

result<void> flush_directory_of(const std::filesystem::path& file) {
    const descriptor directory(
        ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.number() < 0 || ::fsync(directory.number()) != 0)
        return cannot("flush", file.parent_path());
    return {};
}

}  // namespace

struct file_writer::impl {
    impl(std::filesystem::path desired, std::filesystem::path part)
        : file(std::move(desired)),
          beside(std::move(part)),
          out(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, file_mode)) {
        ZSTD_CCtx_setParameter(packer.get(), ZSTD_c_compressionLevel, compression_level);
        ZSTD_CCtx_setParameter(packer.get(), ZSTD_c_checksumFlag, 1);
    }
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;
    ~impl() {
        if (!finished) ::unlink(beside.c_str());
    }

    result<void> put(std::string_view bytes) {
        digest.add(bytes);
        told.bytes += bytes.size();
        while (!bytes.empty()) {
            const auto written = ::write(out.number(), bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return cannot("write", beside);
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        return {};
    }

    result<void> pack(std::string_view text, ZSTD_EndDirective how) {
        ZSTD_inBuffer in{.src = text.data(), .size = text.size(), .pos = 0};
        while (true) {
            ZSTD_outBuffer into{.dst = packed.data(), .size = packed.size(), .pos = 0};
            const auto left = ZSTD_compressStream2(packer.get(), &into, &in, how);
            if (ZSTD_isError(left) != 0U) return fail(errc::unavailable, ZSTD_getErrorName(left));
            CHECK_OK(put(std::string_view(packed.data(), into.pos)));
            const bool done = how == ZSTD_e_end ? left == 0 : in.pos == in.size;
            if (done) return {};
        }
    }

    std::filesystem::path file;
    std::filesystem::path beside;
    descriptor out;
    std::unique_ptr<ZSTD_CCtx, free_packer> packer{ZSTD_createCCtx()};
    std::vector<char> packed = std::vector<char>(ZSTD_CStreamOutSize());
    running_digest digest;
    archived_file told;
    bool finished = false;
};

file_writer::file_writer(std::unique_ptr<impl> impl) : impl_(std::move(impl)) {}
file_writer::file_writer(file_writer&&) noexcept = default;
file_writer& file_writer::operator=(file_writer&&) noexcept = default;
file_writer::~file_writer() = default;

result<file_writer> file_writer::create(std::filesystem::path file) {
    auto beside = file;
    beside += ".part";
    auto result = std::make_unique<impl>(std::move(file), std::move(beside));
    if (result->out.number() < 0) return cannot("write", result->beside);
    return file_writer(std::move(result));
}

result<void> file_writer::append(std::string_view line) {
    CHECK_OK(impl_->pack(line, ZSTD_e_continue));
    CHECK_OK(impl_->pack("\n", ZSTD_e_continue));
    ++impl_->told.lines;
    return {};
}

result<archived_file> file_writer::finish() {
    CHECK_OK(impl_->pack({}, ZSTD_e_end));
    if (::fsync(impl_->out.number()) != 0) return cannot("flush", impl_->beside);
    if (::rename(impl_->beside.c_str(), impl_->file.c_str()) != 0)
        return cannot("rename", impl_->beside);
    impl_->finished = true;
    CHECK_OK(flush_directory_of(impl_->file));
    impl_->told.name = impl_->file.filename();
    impl_->told.sha256 = impl_->digest.hex();
    return impl_->told;
}

result<archived_file> read_file(
    const std::filesystem::path& file, function_ref<result<void>(std::string_view)> take) {
    const descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.number() < 0) return cannot("read", file);
    const std::unique_ptr<ZSTD_DCtx, free_unpacker> unpacker(ZSTD_createDCtx());
    std::vector<char> packed(ZSTD_DStreamInSize());
    std::vector<char> text(ZSTD_DStreamOutSize());
    running_digest digest;
    archived_file response{.name = file.filename(), .table = {}};
    std::size_t left = 1;  // of the stream, as far as it is known
    while (true) {
        const auto size = ::read(from.number(), packed.data(), packed.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return cannot("read", file);
        if (size == 0) break;
        const std::string_view piece(packed.data(), static_cast<std::size_t>(size));
        digest.add(piece);
        response.bytes += piece.size();
        ZSTD_inBuffer in{.src = piece.data(), .size = piece.size(), .pos = 0};
        bool more = true;
        while (in.pos < in.size || more) {
            ZSTD_outBuffer into{.dst = text.data(), .size = text.size(), .pos = 0};
            left = ZSTD_decompressStream(unpacker.get(), &into, &in);
            if (ZSTD_isError(left) != 0U)
                return fail(errc::corrupt, fmt::format("{} is damaged", file.string()));
            const std::string_view unpacked(text.data(), into.pos);
            response.lines += static_cast<std::uint64_t>(std::ranges::count(unpacked, '\n'));
            CHECK_OK(take(unpacked));
            more = into.pos == into.size;
        }
    }
    if (left != 0) return fail(errc::corrupt, fmt::format("{} ends too early", file.string()));
    response.sha256 = digest.hex();
    return response;
}

}  // namespace muster::archive
