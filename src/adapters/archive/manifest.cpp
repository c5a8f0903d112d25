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

std::string day_text(wall_time moment) {
    return iso_time(moment).substr(0, sizeof("2026-11-12") - 1);
}

std::int64_t micros(wall_time moment) {
    return moment.time_since_epoch().count();
}

wall_time time_of(const json::value& micros) {
    return wall_time(std::chrono::microseconds(micros.to_number<std::int64_t>()));
}

archived_file file_of(const json::value& from) {
    return {
        .name = json::value_to<std::string>(from.at("name")),
        .table = json::value_to<std::string>(from.at("table")),
        .lines = from.at("lines").to_number<std::uint64_t>(),
        .bytes = from.at("bytes").to_number<std::uint64_t>(),
        .sha256 = json::value_to<std::string>(from.at("sha256"))};
}

std::string part_text(std::int64_t part) {
    return part == 1 ? std::string() : fmt::format(".{}", part);
}

// A name in a manifest leads to no other directory.
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
    const json::object all{
        {"format", 1},
        {"database", manifest.database},
        {"from", iso_time(manifest.from)},
        {"until", iso_time(manifest.until)},
        {"from_us", micros(manifest.from)},
        {"until_us", micros(manifest.until)},
        {"made_us", micros(manifest.made)},
        {"part", manifest.part},
        {"files", std::move(files)}};
    return json::serialize(all) + "\n";
}

result<manifest> decode_manifest(std::string_view text) try {
    const auto from = json::parse(json::string_view(text.data(), text.size()));
    if (from.at("format").to_number<int>() != 1)
        return fail(errc::corrupt, "the manifest is of a format this program does not know");
    manifest read{
        .database = json::value_to<std::string>(from.at("database")),
        .from = time_of(from.at("from_us")),
        .until = time_of(from.at("until_us")),
        .made = time_of(from.at("made_us"))};
    if (const auto* const part = from.as_object().if_contains("part"))
        read.part = part->to_number<std::int64_t>();
    for (const auto& each : from.at("files").as_array()) {
        read.files.push_back(file_of(each));
        if (!is_plain_name(read.files.back().name))
            return fail(errc::corrupt, "the manifest names a file elsewhere");
    }
    return read;
} catch (const std::exception& thrown) {
    return fail(errc::corrupt, fmt::format("this is no manifest: {}", thrown.what()));
}

result<manifest> load_manifest(const std::filesystem::path& file) {
    TRY(const auto text, os::load_file(file));
    auto read = decode_manifest(text);
    if (!read) return fail(read.error().within(file.string()));
    return read;
}

result<void> save_manifest(const std::filesystem::path& directory, const manifest& manifest) {
    const auto text = encode(manifest);
    return os::save_file(
        {.file = directory / manifest_name(manifest.from, manifest.part), .text = text});
}

result<std::vector<manifest>> list_manifests(const std::filesystem::path& directory) {
    std::error_code failure;
    std::vector<manifest> manifests;
    for (std::filesystem::directory_iterator at(directory, failure), end; !failure && at != end;
         at.increment(failure)) {
        const auto name = at->path().filename().string();
        if (!name.starts_with("manifest-") || !name.ends_with(".json")) continue;
        if (manifests.size() == manifests_max)
            return fail(errc::invalid, fmt::format("{} has too many files", directory.string()));
        TRY(auto one, load_manifest(at->path()));
        manifests.push_back(std::move(one));
    }
    if (failure)
        return fail(errc::not_found, fmt::format("{}: {}", directory.string(), failure.message()));
    std::ranges::sort(manifests, {}, [](const manifest& manifest) {
        return std::pair(manifest.from, manifest.part);
    });
    return manifests;
}

}  // namespace muster::archive
