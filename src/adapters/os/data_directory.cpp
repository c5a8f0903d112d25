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

std::unexpected<error> unusable(const std::filesystem::path& where, const std::string& reason) {
    return fail(
        errc::denied,
        fmt::format("the data directory {} cannot be used: {}", where.string(), reason));
}

result<void> make(const std::filesystem::path& where) {
    std::error_code failure;
    if (std::filesystem::is_directory(where, failure)) return {};
    std::filesystem::create_directories(where.parent_path(), failure);
    if (failure) return unusable(where, failure.message());
    if (::mkdir(where.c_str(), 0700) != 0 && errno != EEXIST)
        return unusable(where, std::generic_category().message(errno));
    return {};
}

result<void> try_writing(const std::filesystem::path& where) {
    const std::string content(trial_bytes, 'x');
    const auto trial = where / "write-test";
    const auto saved = save_file({.file = trial, .text = content});
    ::unlink(trial.c_str());
    if (!saved) return unusable(where, saved.error().detail());
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

std::string holder_of(int lock) {
    std::string pid(pid_digits_max, '\0');
    const auto size = ::pread(lock, pid.data(), pid.size(), 0);
    pid.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return pid.empty() ? "unknown" : pid;
}

}  // namespace

result<std::unique_ptr<data_directory>> data_directory::open(
    std::filesystem::path where, std::chrono::milliseconds lock_wait) {
    where = std::filesystem::absolute(where).lexically_normal();
    if (!where.has_filename()) where = where.parent_path();
    CHECK_OK(make(where));
    const auto file = where / "lock";
    const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) return unusable(where, std::generic_category().message(errno));
    std::unique_ptr<data_directory> opened(new data_directory(where, lock));
    if (!try_lock(lock, lock_wait))
        return unusable(
            where,
            fmt::format(
                "another server (process {}) is using it; each server needs a directory of its own",
                holder_of(lock)));
    CHECK_OK(try_writing(where));
    const auto pid = std::to_string(::getpid());
    const bool noted = ::ftruncate(lock, 0) == 0 && ::pwrite(lock, pid.data(), pid.size(), 0) > 0;
    if (!noted) return unusable(where, std::generic_category().message(errno));
    return opened;
}

data_directory::~data_directory() {
    ::close(lock_);
}

}  // namespace muster::os
