// The files that name all others: a part of metadata.h.
#include "adapters/repository/address.h"
#include "adapters/repository/metadata.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <pugixml.hpp>

namespace muster::repository {
namespace {

std::optional<metadata_file> file_in(const pugi::xml_document& of, const char* kind) {
    const auto data = of.child("repomd").find_child_by_attribute("data", "type", kind);
    if (!data) return std::nullopt;
    const auto sum = data.child("checksum");
    return metadata_file{
        .path = data.child("location").attribute("href").as_string(),
        .checksum_type = sum.attribute("type").as_string(),
        .checksum = sum.text().as_string()};
}

std::string_view next_word(std::string_view& line) {
    const auto from = line.find_first_not_of(" \t");
    if (from == std::string_view::npos) return {};
    line.remove_prefix(from);
    const auto word = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(word.size());
    return word;
}

constexpr std::array packings{"", ".gz", ".xz", ".zst", ".bz2"};

// The path without its packing, if it is a list of packages of the architecture.
std::optional<std::string> list_of_packages(
    std::string_view path, const release_question& release_question) {
    if (!path.starts_with(release_question.prefix)) return std::nullopt;
    for (const std::string_view packing : packings) {
        if (!path.ends_with(packing)) continue;
        const auto plain = path.substr(0, path.size() - packing.size());
        const bool fits = plain == "Packages" || plain == "./Packages"
                          || plain.ends_with("/binary-" + release_question.arch + "/Packages")
                          || plain == "binary-" + release_question.arch + "/Packages";
        // Lists for the installer hold what is never installed afterwards.
        if (fits && !plain.contains("debian-installer/")) return std::string(plain);
    }
    return std::nullopt;
}

struct sized_file {
    metadata_file file;
    std::uint64_t size = 0;
};

}  // namespace

result<rpm_index> read_repomd(std::string_view xml) {
    pugi::xml_document parsed;
    const auto outcome = parsed.load_buffer(xml.data(), xml.size());
    if (!outcome || !parsed.child("repomd"))
        return fail(
            errc::corrupt,
            fmt::format("repomd.xml is no index of a repository: {}", outcome.description()));
    auto primary = file_in(parsed, "primary");
    if (!primary) return fail(errc::corrupt, "repomd.xml names no list of packages");
    CHECK_OK(check_path(primary->path));
    auto updates = file_in(parsed, "updateinfo");
    if (updates) {
        CHECK_OK(check_path(updates->path));
    }
    return rpm_index{.primary = *std::move(primary), .updateinfo = std::move(updates)};
}

result<std::vector<metadata_file>> read_release(
    std::string_view text,
    const release_question& release_question,
    const repository_limits& limits) {
    std::map<std::string, sized_file> sized_files;
    bool within = false;
    while (!text.empty()) {
        const auto end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!line.starts_with(' ')) {
            within = line.starts_with("SHA256:");
            continue;
        }
        if (!within) continue;
        const auto sum = next_word(line);
        const auto size_text = next_word(line);
        const auto path = next_word(line);
        const auto list = list_of_packages(path, release_question);
        if (!list) continue;
        std::uint64_t size = 0;
        std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
        if (size == 0) continue;
        const auto output = path.starts_with("./") ? path.substr(2) : path;
        CHECK_OK(check_path(output));
        auto& best = sized_files[*list];
        if (best.size != 0 && best.size <= size) continue;
        best = {
            .file =
                {.path = std::string(output),
                 .checksum_type = "sha256",
                 .checksum = std::string(sum)},
            .size = size};
        if (sized_files.size() > limits.files_max)
            return fail(errc::invalid, "Release names too many lists of packages");
    }
    if (sized_files.empty())
        return fail(
            errc::not_found,
            "Release names no list of packages for the architecture " + release_question.arch
                + " under SHA256");
    std::vector<metadata_file> metadata_files;
    for (auto& [name, each] : sized_files) metadata_files.push_back(std::move(each.file));
    return metadata_files;
}

}  // namespace muster::repository
