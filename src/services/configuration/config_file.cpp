#include "services/configuration/config_file.h"

#include "core/table/row_reader.h"
#include "core/table/utf8.h"
#include "runtime/json/record_reader.h"
#include "services/configuration/configuration_tables.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace muster::configuration {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> kind_names{"file", "directory", "symlink", "sls"};

std::optional<file_kind> parse_kind(std::string_view text) {
    for (std::size_t index = 0; index < kind_names.size(); ++index)
        if (kind_names.at(index) == text) return static_cast<file_kind>(index);
    return std::nullopt;
}

bool is_account_letter(char letter) {
    constexpr std::string_view others = "-_.$";
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
}

result<void> check_account(std::string_view text, std::string_view name) {
    const bool valid =
        name.size() <= file_limits::name_bytes_max && std::ranges::all_of(name, is_account_letter);
    if (valid) return {};
    return fail(
        errc::invalid,
        fmt::format("{} must be at most 64 letters, digits, '-', '_', '.' and '$'", text));
}

bool is_octal(std::string_view mode) {
    return mode.size() <= 4
           && std::ranges::all_of(mode, [](char digit) { return digit >= '0' && digit <= '7'; });
}

json::object encode(const file_revision& revision) {
    return {
        {"revision", revision.revision},
        {"kind", to_string(revision.kind)},
        {"owner", revision.owner},
        {"group", revision.group},
        {"mode", revision.mode},
        {"target", revision.target},
        {"selinux", revision.selinux},
        {"macro_start", revision.macro_start},
        {"macro_end", revision.macro_end},
        {"digest", revision.digest},
        {"size", revision.size},
        {"binary", revision.binary},
        {"by", revision.by},
        {"made", runtime::stored_time(revision.made)}};
}

result<file_revision> decode_revision(const json::value& json) {
    TRY(auto reader, runtime::json_record_reader::from_value("file revision", json));
    const auto kind = parse_kind(reader.text("kind"));
    if (!kind) reader.mark_wrong("kind");
    file_revision revision{
        .revision = reader.integer("revision"),
        .kind = kind.value_or(file_kind::file),
        .owner = reader.text("owner"),
        .group = reader.text("group"),
        .mode = reader.text("mode"),
        .target = reader.text("target"),
        .selinux = reader.text("selinux"),
        .macro_start = reader.text("macro_start"),
        .macro_end = reader.text("macro_end"),
        .digest = reader.text("digest"),
        .size = reader.integer("size"),
        .binary = reader.boolean("binary"),
        .by = reader.text("by"),
        .made = reader.time("made")};
    return reader.finish(std::move(revision));
}

}  // namespace

std::string_view to_string(file_kind kind) {
    return kind_names.at(static_cast<std::size_t>(kind));
}

const file_revision* config_file::find(std::int64_t revision) const {
    const auto it = std::ranges::find(revisions, revision, &file_revision::revision);
    return it == revisions.end() ? nullptr : &*it;
}

result<void> check_path(std::string_view path) {
    const auto reject = [&](std::string_view reason) {
        return fail(
            errc::invalid,
            fmt::format("{}: {}", table::is_utf8_without_nul(path) ? path : "path", reason));
    };
    if (path.size() > file_limits::path_bytes_max)
        return fail(errc::invalid, "path is longer than 1024 bytes");
    if (!table::is_utf8_without_nul(path)) return reject("is not UTF-8 without a zero byte");
    if (!path.starts_with('/') || path.size() < 2) return reject("is not an absolute path");
    if (path.find_first_of("\n\r") != std::string_view::npos)
        return reject("contains a line break");
    for (std::size_t start = 1; start <= path.size();) {
        const auto end = std::min(path.find('/', start), path.size());
        const auto step = path.substr(start, end - start);
        if (step.empty() || step == "." || step == "..")
            return reject("empty path components, '.' and '..' are not allowed");
        start = end + 1;
    }
    return {};
}

result<void> check(const file_revision& revision) {
    CHECK_OK(check_account("owner", revision.owner));
    CHECK_OK(check_account("group", revision.group));
    if (!is_octal(revision.mode))
        return fail(errc::invalid, "permissions must be at most four octal digits, such as 644");
    if (revision.kind == file_kind::symlink
        && (revision.target.empty() || revision.target.size() > file_limits::path_bytes_max
            || !table::is_utf8_without_nul(revision.target)))
        return fail(errc::invalid, "link target must be 1 to 1024 bytes of UTF-8");
    for (const auto* each : {&revision.selinux, &revision.macro_start, &revision.macro_end}) {
        if (each->size() > file_limits::name_bytes_max || !table::is_utf8_without_nul(*each))
            return fail(
                errc::invalid, "selinux_ctx and delimiters must be at most 64 bytes of UTF-8");
    }
    return {};
}

table::row encode_file(const config_file& file) {
    json::array revisions;
    for (const auto& revision : file.revisions) revisions.push_back(encode(revision));
    const json::object document{
        {"removed", file.removed},
        {"last_revision", file.last_revision},
        {"revisions", std::move(revisions)}};
    return {file.holder, file.path, json::serialize(document), file.version, file.changed};
}

result<config_file> decode_file(const table::row& row) {
    table::row_reader columns(config_files_table, row);
    config_file file;
    file.holder = columns.take<std::string>("holder");
    file.path = columns.take<std::string>("path");
    const auto document = columns.take<std::string>("document");
    file.version = columns.take<std::int64_t>("version");
    file.changed = columns.take<wall_time>("changed");
    CHECK_OK(columns.finish());
    TRY(auto document_reader, runtime::json_record_reader::parse("configuration file", document));
    file.removed = document_reader.boolean("removed");
    file.last_revision = document_reader.integer("last_revision");
    TRY(file, document_reader.finish(std::move(file)));
    const auto* const revisions = document_reader.find_array("revisions");
    if (revisions == nullptr) return fail(errc::corrupt, "configuration file has no revisions");
    for (const auto& revision : *revisions) {
        TRY(auto decoded, decode_revision(revision));
        file.revisions.push_back(std::move(decoded));
    }
    if (!file.removed && file.revisions.empty())
        return fail(errc::corrupt, "configuration file has no revisions");
    return file;
}

}  // namespace muster::configuration
