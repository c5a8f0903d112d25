#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::os {

inline constexpr std::size_t file_bytes_max = std::size_t{1024} * 1024;

// Reads a whole file. errc::not_found; errc::invalid if it is larger than file_bytes_max.
result<std::string> load_file(const std::filesystem::path& file);

struct file_to_save {
    std::filesystem::path file;
    std::string_view text;
    mode_t mode = 0600;
};

// Writes a temporary file, flushes and renames it: after a crash the file is old or new, never
// partial. An error after the rename means that the directory was not flushed: then the new file
// exists, but a power failure could restore the old one.
result<void> save_file(const file_to_save& request);

// Makes names in a directory durable.
result<void> flush_directory(const std::filesystem::path& directory);

}  // namespace muster::os
