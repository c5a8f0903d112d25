#pragma once

#include "base/function_ref.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace muster::archive {

// A file of an archive as its manifest tells of it.
struct archived_file {
    std::string name;  // without its directory
    std::string table;
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;  // on disk
    std::string sha256;       // of these, as hexadecimal digits

    friend bool operator==(const archived_file&, const archived_file&) = default;
};

// Writes lines of text as one zstd stream. The file has its name only once it is whole and on disk:
// what a crash leaves behind is named `….part` and is written over by the next attempt.
class file_writer {
public:
    static result<file_writer> create(std::filesystem::path file);
    file_writer(file_writer&&) noexcept;
    file_writer& operator=(file_writer&&) noexcept;
    ~file_writer();

    result<void> append(std::string_view line);  // without its end
    // Last of all. `table` of what it tells is left open.
    result<archived_file> finish();

private:
    struct impl;
    explicit file_writer(std::unique_ptr<impl> impl);

    std::unique_ptr<impl> impl_;
};

// Unpacks a file piece by piece, whatever its size; stops when `take` fails. Gives what the file
// is, lines counted. errc::corrupt when it is not a whole zstd stream.
result<archived_file> read_file(
    const std::filesystem::path& file, function_ref<result<void>(std::string_view)> take);

}  // namespace muster::archive
