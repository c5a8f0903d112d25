#pragma once

#include "base/function_ref.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace muster::archive {

// A file of an archive as listed in its manifest.
struct archived_file {
    std::string name;  // without its directory
    std::string table;
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;  // on disk
    std::string sha256;       // of the file, hexadecimal

    friend bool operator==(const archived_file&, const archived_file&) = default;
};

// Writes lines of text as one zstd stream. The file gets its name when it is complete and on disk.
// A crash leaves a file named `….part`, which the next attempt overwrites. Not thread-safe.
class file_writer {
public:
    static result<file_writer> create(std::filesystem::path file);
    file_writer(file_writer&&) noexcept;
    file_writer& operator=(file_writer&&) noexcept;
    ~file_writer();

    result<void> append(std::string_view line);  // without line end
    // Call last. Does not set `table` of the result.
    result<archived_file> finish();

private:
    struct impl;
    explicit file_writer(std::unique_ptr<impl> impl);

    std::unique_ptr<impl> impl_;
};

// Decompresses a file piece by piece; stops if `callback` fails. Returns the file's description
// with its line count. errc::corrupt if it is not a complete zstd stream.
result<archived_file> read_file(
    const std::filesystem::path& file, function_ref<result<void>(std::string_view)> callback);

}  // namespace muster::archive
