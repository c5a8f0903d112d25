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
    bool is_open() const { return number_ >= 0; }

private:
    int number_;
};

std::unexpected<error> system_failure(const std::string& action) {
    const int number = errno;
    return fail(
        number == ENOENT ? errc::not_found : errc::unavailable,
        action + ": " + std::generic_category().message(number));
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// The rename is durable only after the directory was flushed.
result<void> flush_directory(const std::filesystem::path& directory) {
    const descriptor handle(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!handle.is_open() || ::fsync(handle.get()) != 0)
        return system_failure("flushing " + directory.string());
    return {};
}

}  // namespace

result<std::string> load_pem(const std::filesystem::path& file) {
    const descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!input.is_open()) return system_failure("reading " + file.string());
    std::string text(pem_file_bytes_max + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t received = ::read(input.get(), text.data() + size, text.size() - size);
        if (received < 0 && errno == EINTR) continue;
        if (received < 0) return system_failure("reading " + file.string());
        if (received == 0) break;
        size += static_cast<std::size_t>(received);
    }
    if (size > pem_file_bytes_max)
        return fail(errc::invalid, file.string() + " is too large for a PEM file (1 MiB)");
    text.resize(size);
    return text;
}

result<void> save_pem(const std::filesystem::path& file, std::string_view text) {
    std::string temporary = file.string() + ".XXXXXX";
    const descriptor output(::mkostemp(temporary.data(), O_CLOEXEC));  // created with mode 0600
    if (!output.is_open()) return system_failure("creating a temporary file for " + file.string());
    const bool saved = write_all(output.get(), text) && ::fsync(output.get()) == 0
                       && ::rename(temporary.c_str(), file.c_str()) == 0;
    if (!saved) {
        auto failure = system_failure("writing " + file.string());
        ::unlink(temporary.c_str());
        return failure;
    }
    const auto directory = file.parent_path();
    return flush_directory(directory.empty() ? "." : directory);
}

}  // namespace muster::pki
