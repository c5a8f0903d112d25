#include "apps/muster/server/disk_full_error.h"

#include "runtime/engine_url.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>
#include <variant>

namespace muster::server {
namespace {

// The directory of an embedded engine's file; nothing when it is on the network.
std::optional<std::filesystem::path> directory_of(
    std::string_view engine, const runtime::settings& settings, const std::filesystem::path& data) {
    if (!settings.has(engine)) return data;
    const auto url = runtime::parse_engine_url(settings.text(engine));
    const auto* file = url ? std::get_if<runtime::sqlite_url>(&*url) : nullptr;
    if (file == nullptr) return std::nullopt;
    return std::filesystem::absolute(file->path).parent_path();
}

// In SQLite's words or in the system's.
bool tells_of_full_disk(const std::string& detail) {
    static const auto no_room = std::make_error_code(std::errc::no_space_on_device).message();
    return detail.contains("disk is full") || detail.contains(no_room);
}

}  // namespace

error disk_full_error(
    const error& failure,
    std::string_view engine,
    const runtime::settings& settings,
    const std::filesystem::path& data) {
    const bool waits = failure.code() == errc::unavailable || failure.code() == errc::timed_out;
    const auto where = directory_of(engine, settings, data);
    if (!waits || !where || !tells_of_full_disk(failure.detail())) return failure;
    return {
        errc::denied,
        fmt::format(
            "the directory {} cannot be used, its disk is full: the {} says: {}",
            where->string(),
            engine,
            failure.detail())};
}

}  // namespace muster::server
