#pragma once

#include "adapters/archive/archive_file.h"
#include "base/time.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace muster::archive {

// Describes one part of the archive of a period. It is written last: if it exists, all its files
// are complete and on disk.
struct manifest {
    std::string database;  // identity of the ledger (ledger_identity)
    wall_time from;
    wall_time until;
    wall_time created;
    std::int64_t part = 1;  // the first has everything; later parts have what came later
    std::vector<archived_file> files;

    friend bool operator==(const manifest&, const manifest&) = default;
};

std::string encode(const manifest& manifest);
result<manifest> decode_manifest(std::string_view text);  // errc::corrupt

// "tasks-2026-11-12.jsonl.zst" and "manifest-2026-11-12.json": named after the first day. Later
// parts have their number behind it: "tasks-2026-11-12.2.jsonl.zst".
std::string file_name(std::string_view table, wall_time from, std::int64_t part = 1);
std::string manifest_name(wall_time from, std::int64_t part = 1);

// errc::not_found if it does not exist.
result<manifest> load_manifest(const std::filesystem::path& file);
result<void> save_manifest(const std::filesystem::path& directory, const manifest& manifest);

// All manifests of a directory, ordered by period and part.
result<std::vector<manifest>> list_manifests(const std::filesystem::path& directory);

}  // namespace muster::archive
