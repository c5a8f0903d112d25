#include "apps/muster/server/disk_full_error.h"

#include "runtime/engine_url.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>
#include <variant>

namespace muster::server {
namespace {

// The directory of an embedded engine; nothing for an engine on the network.
std::optional<std::filesystem::path> directory_of(
    std::string_view engine, const runtime::settings& settings, const std::filesystem::path& data) {
    if (!settings.has(engine)) return data;
    const auto url = runtime::parse_engine_url(settings.text(engine));
    const auto* file = url ? std::get_if<runtime::sqlite_url>(&*url) : nullptr;
    if (file == nullptr) return std::nullopt;
    return std::filesystem::absolute(file->path).parent_path();
}

// Matches the messages of SQLite and of the system.
bool is_disk_full(const std::string& detail) {
    static const auto system_message =
        std::make_error_code(std::errc::no_space_on_device).message();
    return detail.contains("disk is full") || detail.contains(system_message);
}

}  // namespace

error disk_full_error(
    const error& failure,
    std::string_view engine,
    const runtime::settings& settings,
    const std::filesystem::path& data) {
    const bool retryable = failure.code() == errc::unavailable || failure.code() == errc::timed_out;
    const auto directory = directory_of(engine, settings, data);
    if (!retryable || !directory || !is_disk_full(failure.detail())) return failure;
    return {
        errc::denied,
        fmt::format(
            "directory {} cannot be used: disk is full; free space for the {}: {}",
            directory->string(),
            engine,
            failure.detail())};
}

}  // namespace muster::server
