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

std::unexpected<error> cannot(std::string_view text, const std::filesystem::path& file) {
    const int code = errno;
    const auto reason = std::generic_category().message(code);
    const auto kind =
        code == ENOSPC || code == EDQUOT || code == EIO ? errc::unavailable : errc::denied;
    return fail(kind, fmt::format("cannot {} {}: {}", text, file.string(), reason));
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

bool write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(to, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

result<void> write_new(const std::filesystem::path& file, const file_to_save& file_to_save) {
    const descriptor out(
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, file_to_save.mode));
    if (out.number() < 0) return cannot("write", file_to_save.file);
    const bool done = ::fchmod(out.number(), file_to_save.mode) == 0
                      && write_all(out.number(), file_to_save.text) && ::fsync(out.number()) == 0;
    if (!done) return cannot("write", file_to_save.file);
    return {};
}

}  // namespace

result<std::string> load_file(const std::filesystem::path& file) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file, failure);
    if (failure == std::errc::no_such_file_or_directory)
        return fail(errc::not_found, fmt::format("there is no {}", file.string()));
    if (!failure && size > file_bytes_max)
        return fail(errc::invalid, fmt::format("{} is too large", file.string()));
    std::ifstream in(file, std::ios::binary);
    std::stringstream content;
    // Files of /proc say that they are empty and are not.
    const bool read = in && content << in.rdbuf();
    if (failure || !in || (size > 0 && !read))
        return fail(errc::denied, fmt::format("cannot read {}", file.string()));
    return content.str();
}

result<void> save_file(const file_to_save& file_to_save) {
    auto beside = file_to_save.file;
    beside += ".new";
    auto written = write_new(beside, file_to_save);
    if (written && ::rename(beside.c_str(), file_to_save.file.c_str()) != 0)
        written = cannot("rename", beside);
    if (!written) {
        ::unlink(beside.c_str());
        return written;
    }
    return flush_directory(file_to_save.file.parent_path());
}

result<void> flush_directory(const std::filesystem::path& directory) {
    const descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number() < 0 || ::fsync(opened.number()) != 0) return cannot("flush", directory);
    return {};
}

}  // namespace muster::os
