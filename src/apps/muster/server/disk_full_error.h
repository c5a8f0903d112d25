#pragma once

#include "base/result.h"
#include "runtime/settings/settings.h"

#include <filesystem>
#include <string_view>

namespace muster::server {

// An engine of this process that has no room on its disk gets none by waiting for it: the failure
// becomes a final one that names the directory. Any other failure stays as it is.
error disk_full_error(
    const error& failure,
    std::string_view engine,
    const runtime::settings& settings,
    const std::filesystem::path& data);

}  // namespace muster::server
