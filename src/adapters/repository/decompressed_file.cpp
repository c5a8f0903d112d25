#include "adapters/repository/decompressed_file.h"

#include <sys/types.h>

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <string>
#include <utility>

namespace muster::repository {

struct decompressed_file::source {
    source() : reader(archive_read_new()) {}
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    ~source() { archive_read_free(reader); }

    result<void> open(std::string_view bytes) {
        archive_read_support_filter_gzip(reader);
        archive_read_support_filter_xz(reader);
        archive_read_support_filter_zstd(reader);
        archive_read_support_filter_bzip2(reader);
        archive_read_support_format_raw(reader);
        archive_read_support_format_empty(reader);
        if (archive_read_open_memory(reader, bytes.data(), bytes.size()) != ARCHIVE_OK)
            return read_error();
        archive_entry* entry = nullptr;
        const auto status = archive_read_next_header(reader, &entry);
        ended = status == ARCHIVE_EOF;
        if (!ended && status != ARCHIVE_OK) return read_error();
        return {};
    }

    std::unexpected<error> read_error() const {
        const char* const reason = archive_error_string(reader);
        return fail(
            errc::corrupt,
            "cannot decompress repository file: "
                + std::string(reason == nullptr ? "file is damaged" : reason));
    }

    ssize_t read(char* buffer, std::size_t size) {
        if (ended) return 0;
        const auto size_read = archive_read_data(reader, buffer, size);
        ended = size_read <= 0;
        if (size_read < 0) {
            failure = read_error();
            return -1;
        }
        remaining -= std::min(remaining, static_cast<std::size_t>(size_read));
        if (size_read == 0 || remaining > 0) return size_read;
        ended = true;
        failure = fail(
            errc::invalid,
            "repository file exceeds the limit of " + std::to_string(bytes_max)
                + " bytes after decompression");
        return -1;
    }

    ::archive* reader;
    std::size_t remaining = 0;
    std::size_t bytes_max = 0;
    bool ended = false;
    result<void> failure;
};

decompressed_file::decompressed_file(std::unique_ptr<source> source) : source_(std::move(source)) {}

decompressed_file::~decompressed_file() {
    // Closing a file that was only read loses nothing.
    if (file_ != nullptr) static_cast<void>(fclose(file_));
}

result<std::unique_ptr<decompressed_file>> decompressed_file::open(
    std::string_view bytes, std::size_t bytes_max) {
    auto input = std::make_unique<source>();
    CHECK_OK(input->open(bytes));
    input->bytes_max = bytes_max;
    input->remaining = bytes_max + 1;
    std::unique_ptr<decompressed_file> result(new decompressed_file(std::move(input)));
    const cookie_io_functions_t callbacks{
        .read = [](void* cookie, char* buffer, std::size_t size) -> ssize_t {
            return static_cast<source*>(cookie)->read(buffer, size);
        },
        .write = nullptr,
        .seek = nullptr,
        .close = nullptr};
    result->file_ = fopencookie(result->source_.get(), "r", callbacks);
    if (result->file_ == nullptr)
        return fail(errc::unavailable, "not enough memory to decompress a repository file");
    return result;
}

result<void> decompressed_file::finish() {
    if (source_->ended || !source_->failure) return source_->failure;
    return fail(errc::corrupt, "repository file was not read completely");
}

}  // namespace muster::repository
