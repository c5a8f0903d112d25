#pragma once

#include "base/result.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace muster::os {

// The directory of a server's state. While this object lives, no other process can open the
// directory; the kernel releases the lock when the process ends.
class data_directory {
public:
    // How long open() blocks while another process holds the lock. The child of a killed process
    // holds it until the child executes its program.
    static constexpr std::chrono::milliseconds lock_wait_max{2000};

    // Creates the directory (mode 0700) if it is missing. Tries a real write, so that a read-only
    // or full file system is detected at the start.
    static result<std::unique_ptr<data_directory>> open(
        std::filesystem::path path, std::chrono::milliseconds lock_wait = lock_wait_max);

    data_directory(const data_directory&) = delete;
    data_directory& operator=(const data_directory&) = delete;
    ~data_directory();

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file(std::string_view name) const { return path_ / name; }

private:
    data_directory(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

    std::filesystem::path path_;
    int lock_;
};

}  // namespace muster::os
