#include "adapters/os/data_directory.h"

#include "adapters/os/file.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

constexpr std::size_t trial_bytes = std::size_t{64} * 1024;
constexpr std::size_t pid_digits_max = 20;
constexpr std::chrono::milliseconds lock_retry_interval{10};

std::unexpected<error> unusable(const std::filesystem::path& directory, const std::string& reason) {
    return fail(
        errc::denied,
        fmt::format("data directory {} cannot be used: {}", directory.string(), reason));
}

result<void> create_private_directory(const std::filesystem::path& directory) {
    std::error_code failure;
    if (std::filesystem::is_directory(directory, failure)) return {};
    std::filesystem::create_directories(directory.parent_path(), failure);
    if (failure) return unusable(directory, failure.message());
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return unusable(directory, std::generic_category().message(errno));
    return {};
}

result<void> try_writing(const std::filesystem::path& directory) {
    const std::string content(trial_bytes, 'x');
    const auto trial = directory / "write-test";
    const auto saved = save_file({.file = trial, .text = content});
    ::unlink(trial.c_str());
    if (!saved) return unusable(directory, saved.error().detail());
    return {};
}

bool try_lock(int lock, std::chrono::milliseconds wait) {
    while (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || wait <= wait.zero()) return false;
        std::this_thread::sleep_for(lock_retry_interval);
        wait -= lock_retry_interval;
    }
    return true;
}

std::string read_holder(int lock) {
    std::string pid(pid_digits_max, '\0');
    const auto size = ::pread(lock, pid.data(), pid.size(), 0);
    pid.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return pid.empty() ? "unknown" : pid;
}

}  // namespace

result<std::unique_ptr<data_directory>> data_directory::open(
    std::filesystem::path path, std::chrono::milliseconds lock_wait) {
    path = std::filesystem::absolute(path).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    CHECK_OK(create_private_directory(path));
    const auto file = path / "lock";
    const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) return unusable(path, std::generic_category().message(errno));
    std::unique_ptr<data_directory> directory(new data_directory(path, lock));
    if (!try_lock(lock, lock_wait))
        return unusable(
            path,
            fmt::format(
                "in use by another server (process {}); each server needs its own directory",
                read_holder(lock)));
    CHECK_OK(try_writing(path));
    const auto pid = std::to_string(::getpid());
    const bool pid_written =
        ::ftruncate(lock, 0) == 0 && ::pwrite(lock, pid.data(), pid.size(), 0) > 0;
    if (!pid_written) return unusable(path, std::generic_category().message(errno));
    return directory;
}

data_directory::~data_directory() {
    ::close(lock_);
}

}  // namespace muster::os
