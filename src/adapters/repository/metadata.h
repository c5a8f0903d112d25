#pragma once

#include "adapters/repository/contents.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::repository {

// What the files of a repository say, each as it was fetched, packed or not. All are hostile:
// bounded by the limits, errc::invalid or errc::corrupt with what is wrong.
struct metadata_file {
    std::string path;
    std::string checksum_type;
    std::string checksum;
};

// repodata/repomd.xml: the files of these kinds ("primary", "updateinfo") that it names.
struct rpm_index {
    metadata_file primary;
    std::optional<metadata_file> updateinfo;
};
result<rpm_index> read_repomd(std::string_view xml);

// Release: the files of SHA256 that it names and that hold packages of an architecture; of several
// packings of one, the smallest. `prefix`: only those below it.
struct release_question {
    std::string arch;  // "amd64"
    std::string prefix = {};
};
result<std::vector<metadata_file>> read_release(
    std::string_view text,
    const release_question& release_question,
    const repository_limits& limits);

// Adds what a list of packages tells.
result<void> read_packages(
    std::string_view bytes, packages::family kind, const repository_limits& limits, contents& into);
result<void> read_updateinfo(
    std::string_view bytes, const repository_limits& limits, contents& into);

}  // namespace muster::repository
