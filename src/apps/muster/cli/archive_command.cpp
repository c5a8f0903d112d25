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

// Reads archives in place; needs no server.
namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster archive list /srv/muster/archive\n"
    "  muster archive verify /srv/muster/archive         read every file and compare its SHA-256\n"
    "  muster archive cat /srv/muster/archive/tasks-2026-08-13.jsonl.zst | jq 'select(.state == "
    "\"failed\")'\n";

struct archive_flags {
    std::filesystem::path directory;
    std::filesystem::path file;
    output_format format = output_format::table;
};

exit_code failed(const std::string& message) {
    fmt::print(stderr, "muster archive: {}\n", message);
    return exit_code::failed;
}

json::object to_row(const archive::manifest& manifest, const archive::archived_file& file) {
    return {
        {"file", file.name},
        {"from", iso_time(manifest.from)},
        {"until", iso_time(manifest.until)},
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
        for (const auto& file : manifest.files) files.push_back(to_row(manifest, file));
    fmt::print(
        "{}", render(files, flags.format, {"file", "from", "until", "table", "rows", "bytes"}));
    return exit_code::ok;
}

result<void> ignore_piece(std::string_view /*piece*/) {
    return {};
}

exit_code verify(const archive_flags& flags) {
    const auto manifests = archive::list_manifests(flags.directory);
    if (!manifests) return failed(manifests.error().detail());
    auto worst = exit_code::ok;
    for (const auto& manifest : *manifests) {
        for (const auto& file : manifest.files) {
            const auto content = archive::read_file(flags.directory / file.name, ignore_piece);
            const bool intact =
                content && content->sha256 == file.sha256 && content->lines == file.lines;
            if (!intact) worst = exit_code::failed;
            fmt::print(
                "{}: {}\n",
                file.name,
                intact ? "ok"
                       : (content ? "checksum or line count mismatch" : content.error().detail()));
        }
    }
    return worst;
}

result<void> print_piece(std::string_view piece) {
    const auto written = std::fwrite(piece.data(), 1, piece.size(), stdout);
    if (written == piece.size()) return {};
    return fail(errc::cancelled, "output closed by the reader");
}

// The manifest entry of a file, if the manifest is in the same directory.
std::optional<archive::archived_file> find_in_manifest(const std::filesystem::path& file) {
    const auto directory = file.has_parent_path() ? file.parent_path() : ".";
    const auto manifests = archive::list_manifests(directory);
    if (!manifests) return std::nullopt;
    for (const auto& manifest : *manifests)
        for (const auto& entry : manifest.files)
            if (entry.name == file.filename()) return entry;
    return std::nullopt;
}

exit_code cat(const archive_flags& flags) {
    const auto content = archive::read_file(flags.file, print_piece);
    if (!content) {
        const bool reader_left = content.error().code() == errc::cancelled;
        return reader_left ? exit_code::ok : failed(content.error().detail());
    }
    const auto archived = find_in_manifest(flags.file);
    if (archived && archived->sha256 != content->sha256)
        return failed(flags.file.string() + ": SHA-256 mismatch with the manifest");
    return exit_code::ok;
}

}  // namespace

void add_archive(command_line::command& root, action& chosen) {
    auto* archive = root.add_subcommand("archive", "Read archives of expired records (offline)");
    archive->require_subcommand(1, 1);
    archive->footer(examples);
    const auto flags = std::make_shared<archive_flags>();
    const auto verb =
        [&](const char* name, const char* text, exit_code (*run)(const archive_flags&)) {
            auto* result = archive->add_subcommand(name, text);
            result->callback([&chosen, flags, run] {
                chosen = [flags, run] {
                    return run(*flags);
                };
            });
            return result;
        };
    auto* list_verb = verb("list", "List archived files, oldest first", list);
    list_verb
        ->add_option(
            "DIRECTORY",
            flags->directory,
            "Archive directory (setting `archive.directory` of the server)")
        ->required();
    add_output_flag(*list_verb, flags->format);
    verb("verify", "Compare every file with its manifest", verify)
        ->add_option(
            "DIRECTORY",
            flags->directory,
            "Archive directory (setting `archive.directory` of the server)")
        ->required();
    verb("cat", "Print the records of a file, one JSON object per line", cat)
        ->add_option("FILE", flags->file, "Archive file to print")
        ->required();
}

}  // namespace muster::cli
