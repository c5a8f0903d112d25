#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/table/value.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::configuration {

enum class file_kind { file, directory, symlink, sls };

std::string_view to_string(file_kind kind);

// One revision of a file.
struct file_revision {
    std::int64_t revision = 0;  // one, two, … of this path
    file_kind kind = file_kind::file;
    std::string owner;   // empty: not changed
    std::string group;   // likewise
    std::string mode;    // octal digits, such as "644"; empty: as it is
    std::string target;  // of a symlink
    std::string selinux = {};
    std::string macro_start = {};
    std::string macro_end = {};
    std::string digest = {};  // SHA-256 of what it holds, in hexadecimal; empty: nothing
    std::int64_t size = 0;
    bool binary = false;
    std::string by = {};
    wall_time made = {};

    friend bool operator==(const file_revision&, const file_revision&) = default;
};

// A file of a channel or of one system, with its revisions, oldest first. A row of the ledger table
// `config_files`, written with replace_if_grows{"version"}.
struct config_file {
    std::string holder;
    std::string path;
    std::vector<file_revision> revisions;
    std::int64_t last_revision = 0;  // the largest that was given, also if it is gone
    bool removed = false;
    std::int64_t version = 0;
    wall_time changed = {};

    const file_revision& newest() const { return revisions.back(); }
    // Null: no such revision.
    const file_revision* find(std::int64_t revision) const;

    friend bool operator==(const config_file&, const config_file&) = default;
};

struct file_limits {
    static constexpr std::size_t path_bytes_max = 1024;
    static constexpr std::size_t name_bytes_max = 64;  // of an owner or a group
    static constexpr std::size_t content_bytes_max = std::size_t{128} * 1024;
    static constexpr std::size_t revisions_max = 50;  // kept; the oldest goes
    static constexpr std::size_t files_max = 1'000;   // of a channel or a system
};

// Accepts absolute paths without ".", "..", empty components, zero bytes and line ends.
// errc::invalid says what is wrong.
result<void> check_path(std::string_view path);
// All but the content.
result<void> check(const file_revision& revision);

inline constexpr std::string_view init_sls = "/init.sls";  // the path of a channel's states

table::row encode_file(const config_file& file);
result<config_file> decode_file(const table::row& row);

}  // namespace muster::configuration
