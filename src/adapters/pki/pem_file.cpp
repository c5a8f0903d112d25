#include "adapters/pki/pem_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace muster::pki {
namespace {

class descriptor {
public:
    explicit descriptor(int number) : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }

    int get() const { return number_; }
    bool open() const { return number_ >= 0; }

private:
    int number_;
};

std::unexpected<error> system_failure(const std::string& text) {
    const int number = errno;
    return fail(
        number == ENOENT ? errc::not_found : errc::unavailable,
        text + ": " + std::generic_category().message(number));
}

bool write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(to, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// The rename itself is durable only after the directory is.
result<void> flush_directory(const std::filesystem::path& directory) {
    const descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.open() || ::fsync(opened.get()) != 0)
        return system_failure("flushing " + directory.string());
    return {};
}

}  // namespace

result<std::string> load_pem(const std::filesystem::path& file) {
    const descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in.open()) return system_failure("reading " + file.string());
    std::string text(pem_file_bytes_max + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t got = ::read(in.get(), text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_failure("reading " + file.string());
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size > pem_file_bytes_max)
        return fail(errc::invalid, file.string() + " is too large for a PEM file (1 MiB)");
    text.resize(size);
    return text;
}

result<void> save_pem(const std::filesystem::path& file, std::string_view text) {
    std::string temporary = file.string() + ".XXXXXX";
    const descriptor out(::mkostemp(temporary.data(), O_CLOEXEC));  // made with mode 0600
    if (!out.open()) return system_failure("making a file beside " + file.string());
    const bool stored = write_all(out.get(), text) && ::fsync(out.get()) == 0
                        && ::rename(temporary.c_str(), file.c_str()) == 0;
    if (!stored) {
        auto failure = system_failure("writing " + file.string());
        ::unlink(temporary.c_str());
        return failure;
    }
    const auto directory = file.parent_path();
    return flush_directory(directory.empty() ? "." : directory);
}

}  // namespace muster::pki
