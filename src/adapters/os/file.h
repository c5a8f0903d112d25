#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::os {

inline constexpr std::size_t file_bytes_max = std::size_t{1024} * 1024;

// The whole file; not_found when there is none, invalid when it is larger than file_bytes_max.
result<std::string> load_file(const std::filesystem::path& file);

struct file_to_save {
    std::filesystem::path file;
    std::string_view text;
    mode_t mode = 0600;
};

// Written beside it, flushed to disk and renamed: after a crash or on a full disk the file is the
// old one or the new one, never half of it. A failure may come after the rename, when the directory
// could not be flushed: then the new file is there, and only a power failure could take it back.
result<void> save_file(const file_to_save& file_to_save);

// Makes the names in a directory last through a power failure.
result<void> flush_directory(const std::filesystem::path& directory);

}  // namespace muster::os
