#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::pki {

// PEM files hold secrets, and a half-written one keeps a server from starting. So saving goes to a
// temporary file beside it (mode 0600), which is flushed to disk and then renamed: after a crash
// the file is the old one or the new one.

inline constexpr std::size_t pem_file_bytes_max = 1U << 20U;

result<std::string> load_pem(const std::filesystem::path& file);
result<void> save_pem(const std::filesystem::path& file, std::string_view text);

}  // namespace muster::pki
