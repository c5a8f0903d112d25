#pragma once

#include "base/result.h"
#include "runtime/settings/settings.h"

#include <filesystem>
#include <string_view>

namespace muster::server {

// Turns "disk full" of an embedded engine into a final error that names the directory, because
// waiting does not help. Returns other errors unchanged.
error disk_full_error(
    const error& failure,
    std::string_view engine,
    const runtime::settings& settings,
    const std::filesystem::path& data);

}  // namespace muster::server
