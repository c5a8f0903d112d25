#pragma once

#include "base/result.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace muster::os {

// The directory a server keeps its state in. While this object lives, no other process can open the
// directory; the kernel ends that with the process, however it dies.
class data_directory {
public:
    // Blocks the thread at most for this time while another process has the directory: a process
    // that was just killed may leave a child behind that has not run its program yet, and such a
    // child has the lock until then.
    static constexpr std::chrono::milliseconds lock_wait_max{2000};

    // Makes the directory (mode 0700) when it is missing. Tries a real write, so that a read-only
    // or full file system is found before anything is begun.
    static result<std::unique_ptr<data_directory>> open(
        std::filesystem::path where, std::chrono::milliseconds lock_wait = lock_wait_max);

    data_directory(const data_directory&) = delete;
    data_directory& operator=(const data_directory&) = delete;
    ~data_directory();

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file(std::string_view name) const { return path_ / name; }

private:
    data_directory(std::filesystem::path where, int lock) : path_(std::move(where)), lock_(lock) {}

    std::filesystem::path path_;
    int lock_;
};

}  // namespace muster::os
