#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>

namespace muster::repository {

// A file that decompresses gzip, xz, zstd or bzip2 while it is read, up to a limit; other bytes are
// read as they are. The bytes must outlive it. Not thread-safe.
class decompressed_file {
public:
    static result<std::unique_ptr<decompressed_file>> open(
        std::string_view bytes, std::size_t bytes_max);

    decompressed_file(const decompressed_file&) = delete;
    decompressed_file& operator=(const decompressed_file&) = delete;
    ~decompressed_file();

    std::FILE* file() const { return file_; }

    // errc::corrupt unless everything was read without an error. Call after reading, because an
    // error looks like the end of the file to a reader.
    result<void> finish();

private:
    struct source;
    explicit decompressed_file(std::unique_ptr<source> source);

    std::unique_ptr<source> source_;
    std::FILE* file_ = nullptr;
};

}  // namespace muster::repository
