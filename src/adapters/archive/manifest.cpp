#include "adapters/archive/manifest.h"

#include "adapters/os/file.h"
#include "base/iso_time.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace muster::archive {
namespace {

namespace json = boost::json;

constexpr std::size_t manifests_max = 100'000;

std::string day_text(wall_time time) {
    return iso_time(time).substr(0, sizeof("2026-11-12") - 1);
}

std::int64_t to_microseconds(wall_time time) {
    return time.time_since_epoch().count();
}

wall_time to_time(const json::value& value) {
    return wall_time(std::chrono::microseconds(value.to_number<std::int64_t>()));
}

archived_file to_file(const json::value& value) {
    return {
        .name = json::value_to<std::string>(value.at("name")),
        .table = json::value_to<std::string>(value.at("table")),
        .lines = value.at("lines").to_number<std::uint64_t>(),
        .bytes = value.at("bytes").to_number<std::uint64_t>(),
        .sha256 = json::value_to<std::string>(value.at("sha256"))};
}

std::string part_text(std::int64_t part) {
    return part == 1 ? std::string() : fmt::format(".{}", part);
}

// Names in a manifest must not lead to another directory.
bool is_plain_name(const std::string& name) {
    return !name.empty() && name.front() != '.' && !name.contains('/');
}

}  // namespace

std::string file_name(std::string_view table, wall_time from, std::int64_t part) {
    return fmt::format("{}-{}{}.jsonl.zst", table, day_text(from), part_text(part));
}

std::string manifest_name(wall_time from, std::int64_t part) {
    return fmt::format("manifest-{}{}.json", day_text(from), part_text(part));
}

std::string encode(const manifest& manifest) {
    json::array files;
    for (const auto& file : manifest.files)
        files.push_back(json::object{
            {"name", file.name},
            {"table", file.table},
            {"lines", file.lines},
            {"bytes", file.bytes},
            {"sha256", file.sha256}});
    const json::object document{
        {"format", 1},
        {"database", manifest.database},
        {"from", iso_time(manifest.from)},
        {"until", iso_time(manifest.until)},
        {"from_us", to_microseconds(manifest.from)},
        {"until_us", to_microseconds(manifest.until)},
        {"made_us", to_microseconds(manifest.created)},
        {"part", manifest.part},
        {"files", std::move(files)}};
    return json::serialize(document) + "\n";
}

result<manifest> decode_manifest(std::string_view text) try {
    const auto document = json::parse(json::string_view(text.data(), text.size()));
    if (document.at("format").to_number<int>() != 1)
        return fail(errc::corrupt, "unsupported manifest format");
    archive::manifest manifest{
        .database = json::value_to<std::string>(document.at("database")),
        .from = to_time(document.at("from_us")),
        .until = to_time(document.at("until_us")),
        .created = to_time(document.at("made_us"))};
    if (const auto* const part = document.as_object().if_contains("part"))
        manifest.part = part->to_number<std::int64_t>();
    for (const auto& value : document.at("files").as_array()) {
        manifest.files.push_back(to_file(value));
        if (!is_plain_name(manifest.files.back().name))
            return fail(errc::corrupt, "manifest lists a file outside of its directory");
    }
    return manifest;
} catch (const std::exception& exception) {
    return fail(errc::corrupt, fmt::format("malformed manifest: {}", exception.what()));
}

result<manifest> load_manifest(const std::filesystem::path& file) {
    TRY(const auto text, os::load_file(file));
    auto manifest = decode_manifest(text);
    if (!manifest) return fail(manifest.error().with_context(file.string()));
    return manifest;
}

result<void> save_manifest(const std::filesystem::path& directory, const manifest& manifest) {
    const auto text = encode(manifest);
    return os::save_file(
        {.file = directory / manifest_name(manifest.from, manifest.part), .text = text});
}

result<std::vector<manifest>> list_manifests(const std::filesystem::path& directory) {
    std::error_code failure;
    std::vector<manifest> manifests;
    for (std::filesystem::directory_iterator entry(directory, failure), end;
         !failure && entry != end;
         entry.increment(failure)) {
        const auto name = entry->path().filename().string();
        if (!name.starts_with("manifest-") || !name.ends_with(".json")) continue;
        if (manifests.size() == manifests_max)
            return fail(
                errc::invalid, fmt::format("directory {} has too many files", directory.string()));
        TRY(auto manifest, load_manifest(entry->path()));
        manifests.push_back(std::move(manifest));
    }
    if (failure)
        return fail(errc::not_found, fmt::format("{}: {}", directory.string(), failure.message()));
    std::ranges::sort(manifests, {}, [](const manifest& manifest) {
        return std::pair(manifest.from, manifest.part);
    });
    return manifests;
}

}  // namespace muster::archive
