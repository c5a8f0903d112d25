#include "adapters/archive/manifest.h"
#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/output.h"
#include "base/iso_time.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Reads archives where they lie; needs no server.
namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster archive list /srv/muster/archive\n"
    "  muster archive verify /srv/muster/archive         reads every file, compares its SHA-256\n"
    "  muster archive cat /srv/muster/archive/tasks-2026-08-13.jsonl.zst | jq 'select(.state == "
    "\"failed\")'\n";

struct archive_flags {
    std::filesystem::path directory;
    std::filesystem::path file;
    output_format format = output_format::table;
};

exit_code failed(const std::string& why) {
    fmt::print(stderr, "muster archive: {}\n", why);
    return exit_code::failed;
}

json::object shown(const archive::manifest& of, const archive::archived_file& file) {
    return {
        {"file", file.name},
        {"from", iso_time(of.from)},
        {"until", iso_time(of.until)},
        {"table", file.table},
        {"rows", file.lines},
        {"bytes", file.bytes},
        {"sha256", file.sha256}};
}

exit_code list(const archive_flags& flags) {
    const auto manifests = archive::list_manifests(flags.directory);
    if (!manifests) return failed(manifests.error().detail());
    json::array files;
    for (const auto& manifest : *manifests)
        for (const auto& file : manifest.files) files.push_back(shown(manifest, file));
    fmt::print(
        "{}", render(files, flags.format, {"file", "from", "until", "table", "rows", "bytes"}));
    return exit_code::well;
}

result<void> nothing(std::string_view /*piece*/) {
    return {};
}

exit_code verify(const archive_flags& flags) {
    const auto manifests = archive::list_manifests(flags.directory);
    if (!manifests) return failed(manifests.error().detail());
    auto worst = exit_code::well;
    for (const auto& manifest : *manifests) {
        for (const auto& file : manifest.files) {
            const auto read = archive::read_file(flags.directory / file.name, nothing);
            const bool whole = read && read->sha256 == file.sha256 && read->lines == file.lines;
            if (!whole) worst = exit_code::failed;
            fmt::print(
                "{}: {}\n",
                file.name,
                whole ? "whole" : (read ? "is not what was archived" : read.error().detail()));
        }
    }
    return worst;
}

result<void> print(std::string_view piece) {
    const auto written = std::fwrite(piece.data(), 1, piece.size(), stdout);
    if (written == piece.size()) return {};
    return fail(errc::cancelled, "nobody reads the output any more");
}

// What its manifest says of a file, if that stands beside it.
std::optional<archive::archived_file> told_of(const std::filesystem::path& file) {
    const auto directory = file.has_parent_path() ? file.parent_path() : ".";
    const auto manifests = archive::list_manifests(directory);
    if (!manifests) return std::nullopt;
    for (const auto& manifest : *manifests)
        for (const auto& one : manifest.files)
            if (one.name == file.filename()) return one;
    return std::nullopt;
}

exit_code cat(const archive_flags& flags) {
    const auto read = archive::read_file(flags.file, print);
    if (!read) {
        const bool reader_left = read.error().code() == errc::cancelled;
        return reader_left ? exit_code::well : failed(read.error().detail());
    }
    const auto response = told_of(flags.file);
    if (response && response->sha256 != read->sha256)
        return failed(flags.file.string() + " is not what was archived: its SHA-256 differs");
    return exit_code::well;
}

}  // namespace

void add_archive(command_line::command& root, action& chosen) {
    auto* archive = root.add_subcommand("archive", "Read what retention has archived, offline");
    archive->require_subcommand(1, 1);
    archive->footer(examples);
    const auto flags = std::make_shared<archive_flags>();
    const auto verb =
        [&](const char* name, const char* text, exit_code (*work)(const archive_flags&)) {
            auto* result = archive->add_subcommand(name, text);
            result->callback([&chosen, flags, work] {
                chosen = [flags, work] {
                    return work(*flags);
                };
            });
            return result;
        };
    auto* listing = verb("list", "What there is, oldest first", list);
    listing->add_option("DIRECTORY", flags->directory, "`archive.directory` of the server")
        ->required();
    add_output_flag(*listing, flags->format);
    verb("verify", "Read every file and compare it with its manifest", verify)
        ->add_option("DIRECTORY", flags->directory, "`archive.directory` of the server")
        ->required();
    verb("cat", "Print the lines of a file, one JSON object each", cat)
        ->add_option("FILE", flags->file, "A file of an archive")
        ->required();
}

}  // namespace muster::cli
