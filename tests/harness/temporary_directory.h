#pragma once

#include <filesystem>
#include <string>

namespace muster::harness {

// A directory of its own under $TMPDIR, gone with all its content at the end.
class temporary_directory {
public:
    explicit temporary_directory(const std::string& purpose);
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory();

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace muster::harness
