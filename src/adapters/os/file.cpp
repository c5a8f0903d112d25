#include "adapters/os/file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

std::unexpected<error> cannot(std::string_view action, const std::filesystem::path& file) {
    const int code = errno;
    const auto reason = std::generic_category().message(code);
    const auto kind =
        code == ENOSPC || code == EDQUOT || code == EIO ? errc::unavailable : errc::denied;
    return fail(kind, fmt::format("cannot {} {}: {}", action, file.string(), reason));
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

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

result<void> write_new(const std::filesystem::path& file, const file_to_save& request) {
    const descriptor output(
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, request.mode));
    if (output.number() < 0) return cannot("write", request.file);
    const bool done = ::fchmod(output.number(), request.mode) == 0
                      && write_all(output.number(), request.text) && ::fsync(output.number()) == 0;
    if (!done) return cannot("write", request.file);
    return {};
}

}  // namespace

result<std::string> load_file(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure == std::errc::no_such_file_or_directory)
        return fail(errc::not_found, fmt::format("file \"{}\" not found", file.string()));
    if (!failure && size > file_bytes_max)
        return fail(errc::invalid, fmt::format("file \"{}\" is too large", file.string()));
    std::ifstream stream(file, std::ios::binary);
    std::stringstream content;
    // Files of /proc report a size of 0.
    const bool read = stream && content << stream.rdbuf();
    if (failure || !stream || (size > 0 && !read))
        return fail(errc::denied, fmt::format("cannot read {}", file.string()));
    return content.str();
}

result<void> save_file(const file_to_save& request) {
    auto temporary = request.file;
    temporary += ".new";
    auto written = write_new(temporary, request);
    if (written && ::rename(temporary.c_str(), request.file.c_str()) != 0)
        written = cannot("rename", temporary);
    if (!written) {
        ::unlink(temporary.c_str());
        return written;
    }
    return flush_directory(request.file.parent_path());
}

result<void> flush_directory(const std::filesystem::path& directory) {
    const descriptor handle(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.number() < 0 || ::fsync(handle.number()) != 0) return cannot("flush", directory);
    return {};
}

}  // namespace muster::os
