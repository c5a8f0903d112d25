#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::pki {

// PEM files hold secrets, and a partial file would keep a server from starting. Saving writes a
// temporary file (mode 0600), flushes and renames it: after a crash the file is old or new.

inline constexpr std::size_t pem_file_bytes_max = 1U << 20U;

result<std::string> load_pem(const std::filesystem::path& file);
result<void> save_pem(const std::filesystem::path& file, std::string_view text);

}  // namespace muster::pki
