#include "adapters/os/time_zone_database.h"

#include "adapters/os/file.h"
#include "core/windows/tzif.h"

#include <system_error>

namespace muster::os {

result<windows::time_zone_pointer> time_zone_database::find(std::string_view name) {
    const auto not_found = [&] {
        return fail(errc::not_found, "time zone \"" + std::string(name) + "\" not found");
    };
    if (!windows::is_zone_name(name)) return not_found();
    const std::lock_guard lock(mutex_);
    const auto it = zones_.find(name);
    if (it != zones_.end()) return it->second;
    std::error_code failure;
    if (!std::filesystem::is_directory(directory_, failure))
        return fail(
            errc::unavailable,
            "no time zones in " + directory_.string() + "; install the package tzdata");
    const auto path = directory_ / name;
    if (!std::filesystem::is_regular_file(path, failure)) return not_found();
    TRY(const auto bytes, load_file(path));
    auto zone = windows::parse_tzif(std::string(name), bytes);
    if (!zone) return not_found();  // the directory also holds lists and tables
    if (zones_.size() < zones_max) zones_.emplace(std::string(name), *zone);
    return zone;
}

}  // namespace muster::os
