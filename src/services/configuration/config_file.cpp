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
    for (std::size_t each = 0; each < kind_names.size(); ++each)
        if (kind_names.at(each) == text) return static_cast<file_kind>(each);
    return std::nullopt;
}

bool is_letter_of_account(char letter) {
    constexpr std::string_view others = "-_.$";
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
}

result<void> check_account(std::string_view text, std::string_view name) {
    const bool well = name.size() <= file_limits::name_bytes_max
                      && std::ranges::all_of(name, is_letter_of_account);
    if (well) return {};
    return fail(
        errc::invalid,
        fmt::format("the {} is at most 64 letters, digits, '-', '_', '.' and '$'", text));
}

bool is_octal(std::string_view mode) {
    return mode.size() <= 4
           && std::ranges::all_of(mode, [](char each) { return each >= '0' && each <= '7'; });
}

json::object encode(const file_revision& file_revision) {
    return {
        {"revision", file_revision.revision},
        {"kind", to_string(file_revision.kind)},
        {"owner", file_revision.owner},
        {"group", file_revision.group},
        {"mode", file_revision.mode},
        {"target", file_revision.target},
        {"selinux", file_revision.selinux},
        {"macro_start", file_revision.macro_start},
        {"macro_end", file_revision.macro_end},
        {"digest", file_revision.digest},
        {"size", file_revision.size},
        {"binary", file_revision.binary},
        {"by", file_revision.by},
        {"made", runtime::stored_time(file_revision.made)}};
}

result<file_revision> decode_revision(const json::value& from) {
    TRY(auto all, runtime::json_record_reader::of_value("file revision", from));
    const auto kind = parse_kind(all.text("kind"));
    if (!kind) all.mark_wrong("kind");
    file_revision read{
        .revision = all.integer("revision"),
        .kind = kind.value_or(file_kind::file),
        .owner = all.text("owner"),
        .group = all.text("group"),
        .mode = all.text("mode"),
        .target = all.text("target"),
        .selinux = all.text("selinux"),
        .macro_start = all.text("macro_start"),
        .macro_end = all.text("macro_end"),
        .digest = all.text("digest"),
        .size = all.integer("size"),
        .binary = all.boolean("binary"),
        .by = all.text("by"),
        .made = all.time("made")};
    return all.finish(std::move(read));
}

}  // namespace

std::string_view to_string(file_kind file_kind) {
    return kind_names.at(static_cast<std::size_t>(file_kind));
}

const file_revision* config_file::find(std::int64_t revision) const {
    const auto it = std::ranges::find(revisions, revision, &file_revision::revision);
    return it == revisions.end() ? nullptr : &*it;
}

result<void> check_path(std::string_view path) {
    const auto refused = [&](std::string_view why) {
        return fail(
            errc::invalid,
            fmt::format("{}: {}", table::is_utf8_without_nul(path) ? path : "the path", why));
    };
    if (path.size() > file_limits::path_bytes_max)
        return fail(errc::invalid, "a path has at most 1024 bytes");
    if (!table::is_utf8_without_nul(path)) return refused("is not UTF-8 without a zero byte");
    if (!path.starts_with('/') || path.size() < 2) return refused("is not a path from the root");
    if (path.find_first_of("\n\r") != std::string_view::npos) return refused("has a line's end");
    for (std::size_t at = 1; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto step = path.substr(at, end - at);
        if (step.empty() || step == "." || step == "..")
            return refused("an empty step, '.' and '..' are not allowed in a path");
        at = end + 1;
    }
    return {};
}

result<void> check(const file_revision& file_revision) {
    CHECK_OK(check_account("owner", file_revision.owner));
    CHECK_OK(check_account("group", file_revision.group));
    if (!is_octal(file_revision.mode))
        return fail(errc::invalid, "permissions are up to four octal digits, such as 644");
    if (file_revision.kind == file_kind::symlink
        && (file_revision.target.empty()
            || file_revision.target.size() > file_limits::path_bytes_max
            || !table::is_utf8_without_nul(file_revision.target)))
        return fail(errc::invalid, "a link's target has 1 to 1024 bytes of UTF-8");
    for (const auto* each :
         {&file_revision.selinux, &file_revision.macro_start, &file_revision.macro_end}) {
        if (each->size() > file_limits::name_bytes_max || !table::is_utf8_without_nul(*each))
            return fail(errc::invalid, "selinux_ctx and delimiters have at most 64 bytes");
    }
    return {};
}

table::row encode_file(const config_file& config_file) {
    json::array revisions;
    for (const auto& revision : config_file.revisions) revisions.push_back(encode(revision));
    const json::object document{
        {"removed", config_file.removed},
        {"last_revision", config_file.last_revision},
        {"revisions", std::move(revisions)}};
    return {
        config_file.holder,
        config_file.path,
        json::serialize(document),
        config_file.version,
        config_file.changed};
}

result<config_file> decode_file(const table::row& cells) {
    table::row_reader in(config_files_table, cells);
    config_file read;
    read.holder = in.take<std::string>("holder");
    read.path = in.take<std::string>("path");
    const auto document = in.take<std::string>("document");
    read.version = in.take<std::int64_t>("version");
    read.changed = in.take<wall_time>("changed");
    CHECK_OK(in.finish());
    TRY(auto all, runtime::json_record_reader::of("configuration file", document));
    read.removed = all.boolean("removed");
    read.last_revision = all.integer("last_revision");
    TRY(read, all.finish(std::move(read)));
    const auto* const revisions = all.find_array("revisions");
    if (revisions == nullptr) return fail(errc::corrupt, "a configuration file has no revisions");
    for (const auto& revision : *revisions) {
        TRY(auto one, decode_revision(revision));
        read.revisions.push_back(std::move(one));
    }
    if (!read.removed && read.revisions.empty())
        return fail(errc::corrupt, "a configuration file has no revisions");
    return read;
}

}  // namespace muster::configuration
