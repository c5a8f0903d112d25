// Parsers of index files, declared in metadata.h.
#include "adapters/repository/address.h"
#include "adapters/repository/metadata.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <pugixml.hpp>

namespace muster::repository {
namespace {

std::optional<metadata_file> find_file(const pugi::xml_document& document, const char* kind) {
    const auto data = document.child("repomd").find_child_by_attribute("data", "type", kind);
    if (!data) return std::nullopt;
    const auto checksum = data.child("checksum");
    return metadata_file{
        .path = data.child("location").attribute("href").as_string(),
        .checksum_type = checksum.attribute("type").as_string(),
        .checksum = checksum.text().as_string()};
}

std::string_view next_word(std::string_view& line) {
    const auto start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) return {};
    line.remove_prefix(start);
    const auto word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    return word;
}

constexpr std::array compressions{"", ".gz", ".xz", ".zst", ".bz2"};

// The path without its compression suffix if it is a package list of the architecture.
std::optional<std::string> package_list_path(std::string_view path, const release_query& query) {
    if (!path.starts_with(query.prefix)) return std::nullopt;
    for (const std::string_view compression : compressions) {
        if (!path.ends_with(compression)) continue;
        const auto plain = path.substr(0, path.size() - compression.size());
        const bool matches = plain == "Packages" || plain == "./Packages"
                             || plain.ends_with("/binary-" + query.arch + "/Packages")
                             || plain == "binary-" + query.arch + "/Packages";
        // The installer's packages are never installed on a system.
        if (matches && !plain.contains("debian-installer/")) return std::string(plain);
    }
    return std::nullopt;
}

struct sized_file {
    metadata_file file;
    std::uint64_t size = 0;
};

}  // namespace

result<rpm_index> read_repomd(std::string_view xml) {
    pugi::xml_document document;
    const auto outcome = document.load_buffer(xml.data(), xml.size());
    if (!outcome || !document.child("repomd"))
        return fail(
            errc::corrupt,
            fmt::format("repomd.xml is not a repository index: {}", outcome.description()));
    auto primary = find_file(document, "primary");
    if (!primary) return fail(errc::corrupt, "repomd.xml lists no package list");
    CHECK_OK(check_path(primary->path));
    auto updates = find_file(document, "updateinfo");
    if (updates) {
        CHECK_OK(check_path(updates->path));
    }
    return rpm_index{.primary = *std::move(primary), .updateinfo = std::move(updates)};
}

result<std::vector<metadata_file>> read_release(
    std::string_view text, const release_query& query, const repository_limits& limits) {
    std::map<std::string, sized_file> sized_files;
    bool in_sha256 = false;
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!line.starts_with(' ')) {
            in_sha256 = line.starts_with("SHA256:");
            continue;
        }
        if (!in_sha256) continue;
        const auto checksum = next_word(line);
        const auto size_text = next_word(line);
        const auto path = next_word(line);
        const auto list = package_list_path(path, query);
        if (!list) continue;
        std::uint64_t size = 0;
        std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
        if (size == 0) continue;
        const auto relative_path = path.starts_with("./") ? path.substr(2) : path;
        CHECK_OK(check_path(relative_path));
        auto& best = sized_files[*list];
        if (best.size != 0 && best.size <= size) continue;
        best = {
            .file =
                {.path = std::string(relative_path),
                 .checksum_type = "sha256",
                 .checksum = std::string(checksum)},
            .size = size};
        if (sized_files.size() > limits.files_max)
            return fail(errc::invalid, "Release lists too many package lists");
    }
    if (sized_files.empty())
        return fail(
            errc::not_found,
            "Release lists no package list for architecture \"" + query.arch + "\" under SHA256");
    std::vector<metadata_file> metadata_files;
    for (auto& [name, file] : sized_files) metadata_files.push_back(std::move(file.file));
    return metadata_files;
}

}  // namespace muster::repository
