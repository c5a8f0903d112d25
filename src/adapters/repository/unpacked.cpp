#include "adapters/repository/unpacked.h"

#include <sys/types.h>

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <string>
#include <utility>

namespace muster::repository {

struct unpacked::packed {
    packed() : reader(archive_read_new()) {}
    packed(const packed&) = delete;
    packed& operator=(const packed&) = delete;
    ~packed() { archive_read_free(reader); }

    result<void> open(std::string_view bytes) {
        archive_read_support_filter_gzip(reader);
        archive_read_support_filter_xz(reader);
        archive_read_support_filter_zstd(reader);
        archive_read_support_filter_bzip2(reader);
        archive_read_support_format_raw(reader);
        archive_read_support_format_empty(reader);
        if (archive_read_open_memory(reader, bytes.data(), bytes.size()) != ARCHIVE_OK)
            return broken();
        archive_entry* entry = nullptr;
        const auto match = archive_read_next_header(reader, &entry);
        over = match == ARCHIVE_EOF;
        if (!over && match != ARCHIVE_OK) return broken();
        return {};
    }

    std::unexpected<error> broken() const {
        const char* const why = archive_error_string(reader);
        return fail(
            errc::corrupt,
            "a file of the repository cannot be unpacked: "
                + std::string(why == nullptr ? "it is broken" : why));
    }

    ssize_t read(char* into, std::size_t size) {
        if (over) return 0;
        const auto got = archive_read_data(reader, into, size);
        over = got <= 0;
        if (got < 0) {
            failure = broken();
            return -1;
        }
        left -= std::min(left, static_cast<std::size_t>(got));
        if (got == 0 || left > 0) return got;
        over = true;
        failure = fail(
            errc::invalid,
            "a file of the repository has more than " + std::to_string(allowed)
                + " bytes when it is unpacked; it is refused");
        return -1;
    }

    ::archive* reader;
    std::size_t left = 0;
    std::size_t allowed = 0;
    bool over = false;
    result<void> failure;
};

unpacked::unpacked(std::unique_ptr<packed> from) : from_(std::move(from)) {}

unpacked::~unpacked() {
    // It was only read: closing it loses nothing.
    if (file_ != nullptr) static_cast<void>(fclose(file_));
}

result<std::unique_ptr<unpacked>> unpacked::open(std::string_view bytes, std::size_t bytes_max) {
    auto from = std::make_unique<packed>();
    CHECK_OK(from->open(bytes));
    from->allowed = bytes_max;
    from->left = bytes_max + 1;
    std::unique_ptr<unpacked> result(new unpacked(std::move(from)));
    const cookie_io_functions_t doing{
        .read = [](void* of, char* into, std::size_t size) -> ssize_t {
            return static_cast<packed*>(of)->read(into, size);
        },
        .write = nullptr,
        .seek = nullptr,
        .close = nullptr};
    result->file_ = fopencookie(result->from_.get(), "r", doing);
    if (result->file_ == nullptr)
        return fail(errc::unavailable, "there is no memory to unpack a file of the repository");
    return result;
}

result<void> unpacked::finish() {
    if (from_->over || !from_->failure) return from_->failure;
    return fail(errc::corrupt, "a file of the repository was not read to its end");
}

}  // namespace muster::repository
